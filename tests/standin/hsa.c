/* HSA as far as the backend uses it: a CPU, and the GPUs in another order than
 * HIP's. */
#include "standin.h"

#include <stdint.h>

typedef struct {
    uint64_t handle;
} Agent;

int hsa_init(void) { return fault("hsa") >= 0 ? (int)fault("hsa") : 0; }

int hsa_shut_down(void) { return 0; }

int hsa_iterate_agents(int (*visit)(Agent, void *), void *data) {
    Standin all[8];
    Agent cpu = {0};
    int code = visit(cpu, data);
    for (int i = devices(all, 8); i > 0 && !code; i--) {
        Agent gpu = {(uint64_t)i};
        code = visit(gpu, data);
    }
    return code;
}

int hsa_agent_get_info(Agent agent, int what, void *value) {
    Standin all[8];
    int count = devices(all, 8), index = (int)agent.handle - 1;
    if (index >= count) return 1;
    switch (what) {
    case 0: strcpy(value, index < 0 ? "AMD EPYC" : all[index].arch); return 0;
    case 17: *(uint32_t *)value = index >= 0; return 0;
    case 0xA006: *(uint32_t *)value = (uint32_t)bus_of(index) << 8; return 0;
    case 0xA00F: *(uint32_t *)value = 0; return 0;
    }
    return 1;
}
