//! What a number rests on.

use super::ast::{Arg, Call, Function, Kind, Node};

/// What a number rests on, the strongest first: with a term of the model it is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// Numbers that stand in it: counted by hand, worked out.
    Arithmetic,
    /// A figure that was recorded on a machine, and numbers.
    Record,
    /// The cost model, a shape, a device: all that stands behind `=`.
    Model,
}

/// What an expression rests on.
pub(super) fn of(node: &Node) -> Ground {
    match &node.kind {
        Kind::Number(_) | Kind::Text(_) | Kind::Texts(_) => Ground::Arithmetic,
        Kind::Symbol(_) => Ground::Model,
        Kind::Negated(inner) => of(inner),
        Kind::Binary(_, a, b) => of(a).max(of(b)),
        Kind::Call(call) => of_call(call),
    }
}

fn of_call(call: &Call) -> Ground {
    use Function::{Abs, Ceil, Exp, FloorInt, Given, Ln, Log2, Max, Min, Recorded, Round, Sqrt};
    match call.function {
        Recorded => Ground::Record,
        Given | Sqrt | Min | Max | Abs | FloorInt | Ceil | Round | Log2 | Ln | Exp => {
            let value = |arg: &Arg| match arg {
                Arg::Value(node) | Arg::Named(_, node) => of(node),
                _ => Ground::Model,
            };
            let grounds = call.args.iter().map(value);
            grounds.max().unwrap_or(Ground::Arithmetic)
        }
        _ => Ground::Model,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Expr;
    use super::Ground::{self, Arithmetic, Model, Record};

    #[test]
    fn a_number_rests_on_the_strongest_of_its_terms() {
        let cases: &[(&str, Ground)] = &[
            ("6*2 + 7*2", Arithmetic),
            ("ceil(sqrt(12)) - 4 B", Arithmetic),
            ("recorded.h200_launch", Record),
            ("2 * recorded.h200_launch", Record),
            ("forward(v1).launches * recorded.h200_launch", Model),
            ("max(1, B*S)", Model),
            ("-block(v1).launches", Model),
        ];
        for (text, ground) in cases {
            assert_eq!(Expr::parse(text).unwrap().ground(), *ground, "{text}");
        }
    }
}
