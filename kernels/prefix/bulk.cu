// Copies that run beside the threads (sm_90): one instruction moves a run of
// bytes from global to shared memory and tells an mbarrier when it has arrived.
// BULK_COPIES is 0 where there are none.

#define BULK_COPIES (GPU_SM >= 900)

#if BULK_COPIES

// An mbarrier counts arrivals and outstanding bytes; when both have come its
// phase ends and the next begins. A waiter names the parity of the phase it
// waits for: 0 for the first.
typedef u64 Arrival;

DEVICE void arrival_init(Arrival *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

// Makes initialised barriers known to the copy engine; a __syncthreads follows.
DEVICE void arrival_init_done() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

DEVICE void arrive(Arrival *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

// Arrives, and says how many bytes the copies of this phase will bring.
DEVICE void arrive_expecting(Arrival *barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

DEVICE void await_arrival(Arrival *barrier, u32 parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

// `bytes`, a multiple of 16, between addresses that are multiples of 16.
DEVICE void copy_bulk(void *shared, const void *global, u32 bytes, Arrival *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

#endif

// Waits for the first `threads` threads of the block, leaving out the warps
// that copy.
DEVICE void workers_wait(int threads) {
#if BULK_COPIES
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
#else
    __syncthreads();
#endif
}
