//! Reading a tensor out of memory in the graph's order.

use super::bound::Bound;
use super::step::Operand;
use plan::model::TensorKind;

/// The values of a tensor: `B × S × width`, scores `B × H × S × T`.
pub(super) fn read(bound: &Bound<'_>, operand: Operand, kind: TensorKind) -> Vec<f32> {
    let d = bound.dims;
    let Operand::Memory {
        buffer,
        columns,
        rows,
        first,
    } = operand
    else {
        return Vec::new();
    };
    let Some(buffer) = bound.buffers.get(buffer) else {
        return Vec::new();
    };
    let mut values = Vec::with_capacity(d.batch * d.seq * columns);
    if !matches!(kind, TensorKind::Sc | TensorKind::Pr) {
        for sequence in 0..d.batch {
            let from = (sequence * rows + first) * columns;
            values.extend((from..from + d.seq * columns).map(|at| buffer.get(at)));
        }
        return values;
    }
    // In memory: [sequence][tile][unit][key][head of the unit][row].
    let context = d.context();
    for sequence in 0..d.batch {
        for head in 0..d.heads {
            for row in 0..d.seq {
                let start = row / d.tile * d.tile;
                let in_tile = d.tile.min(d.seq - start);
                let unit = head / d.unit * d.unit;
                let base = (sequence * d.seq + start) * d.heads * context
                    + unit * in_tile * context
                    + (head - unit) * in_tile
                    + (row - start);
                let stride = d.unit * in_tile;
                values.extend((0..context).map(|key| buffer.get(base + key * stride)));
            }
        }
    }
    values
}
