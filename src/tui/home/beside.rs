//! The right pane of the contents page: where one was, the versions, and this machine.

use crate::tui::pen::{Pen, within, wrap};
use crate::tui::ribbon::bar;
use crate::tui::theme::Role;
use app::machine::{Condition, Source, flop_rate};
use app::{State, figure};
use plan::fusion::Version;
use plan::run::BackendKind;

/// Rows that the path takes with the one below it, where one was, the versions, and the
/// heading of the machine: each text in one.
const ROWS: [usize; 4] = [5, 6, 7, 2];

/// The right pane at 120 columns.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>) {
    let taken = ROWS.iter().sum::<usize>() + state.shared.machine.backends.len();
    let taken = taken + ceilings(state, usize::from(pen.width()) - 4).rows();
    let mut flow = Flow {
        spare: usize::from(pen.height()).saturating_sub(taken),
        y: 0,
        pen,
    };
    path(state, &mut flow);
    flow.y = flow.y.max(ROWS[0] as u16);
    here(state, &mut flow);
    versions(state, flow.pen, flow.y);
    flow.y += ROWS[2] as u16;
    this_machine(state, &mut flow);
}

/// Texts below each other: a long one goes on in the next row as long as rows are free.
struct Flow<'a, 'p> {
    pen: &'a mut Pen<'p>,
    y: u16,
    /// Rows that nothing stands in.
    spare: usize,
}

impl Flow<'_, '_> {
    fn put(&mut self, x: u16, columns: usize, text: &str, role: Role) {
        let lines = within(text, columns, self.spare + 1);
        self.spare -= lines.len() - 1;
        for line in &lines {
            self.pen.put(x, self.y, line, role);
            self.y += 1;
        }
    }

    /// A text of the pane below its heading.
    fn text(&mut self, text: &str, role: Role) {
        let columns = usize::from(self.pen.width()) - 4;
        self.put(3, columns, text, role);
    }

    fn heading(&mut self, text: &str) {
        self.pen.put(1, self.y, text, Role::Strong);
        self.y += 2;
    }
}

/// The path that is followed.
fn path(state: &State, flow: &mut Flow<'_, '_>) {
    let Some(followed) = &state.shared.contents.route else {
        return;
    };
    flow.heading("Your path, + in the contents");
    flow.text(&followed.line(usize::MAX), Role::Text);
    let next = match state.reader.leads(&state.shared) {
        Some(next) => format!("Space goes on: {}", next.trim_end_matches('.')),
        None => "through; P chooses another".to_owned(),
    };
    flow.text(&next, Role::Accent);
    flow.y += 1;
}

/// Where one was, and the plan in the lab.
fn here(state: &State, flow: &mut Flow<'_, '_>) {
    flow.heading("Here you were");
    match &state.shared.contents.stopped {
        Some(s) => {
            let lesson = state.shared.contents.lessons.get(s.lesson);
            let title = lesson.map_or(String::new(), |l| format!("{} {}", l.number, l.title));
            flow.text(&title, Role::Text);
            let section = format!("section {} of {}: {}", s.section, s.of, s.heading);
            flow.text(&section, Role::Text);
        }
        None => {
            flow.text("nowhere yet; Enter opens the lesson under ►", Role::Text);
            flow.y += 1;
        }
    }
    let plan = format!(
        "plan in the lab: {}, {}",
        state.shared.bench.cut().title(),
        state.shared.bench.cost().launches_of_block()
    );
    flow.text(&plan, Role::Text);
    flow.y += 1;
}

/// Launches and bytes of a block in the four versions.
fn versions(state: &State, pen: &mut Pen<'_>, y: u16) {
    let v1 = state.shared.bench.v1().block.bytes();
    let column = figure::byte_column(v1);
    let head = format!(
        "One block, modelled =   (launches, {})",
        column.unit().symbol()
    );
    pen.put(1, y, &head, Role::Strong);
    for (i, version) in Version::WORKSHOP.into_iter().enumerate() {
        let y = y + 2 + i as u16;
        let Ok(cost) = state.shared.bench.price_of(version.cut()) else {
            continue;
        };
        let bytes = cost.block.bytes();
        pen.put(3, y, version.title(), Role::Text);
        pen.right(11, y, &cost.block.launches().to_string(), Role::Modelled);
        pen.right(20, y, &figure::bytes(column, bytes), Role::Modelled);
        // Fourteen cells for V1.
        let eighths =
            (u128::from(bytes) * 14 * 8 * 2 + u128::from(v1)) / (2 * u128::from(v1.max(1)));
        let drawn = bar(eighths as u64, 14, pen.ascii());
        pen.put(22, y, &drawn, Role::Memory);
    }
}

fn this_machine(state: &State, flow: &mut Flow<'_, '_>) {
    let edge = flow.pen.width() - 1;
    flow.pen.right(edge, flow.y, "found at start", Role::Dim);
    flow.heading("This machine");
    for b in &state.shared.machine.backends {
        flow.pen.put(3, flow.y, &b.name, Role::Text);
        let role = match b.condition {
            Condition::Ready => Role::Good,
            _ => Role::Dim,
        };
        flow.pen.right(edge, flow.y, b.condition.word(), role);
        flow.put(10, usize::from(edge) - 18, &b.line, Role::Text);
    }
    flow.y += 1;
    let found = ceilings(state, usize::from(edge) - 3);
    if let Some((head, role)) = found.head {
        flow.heading(&head);
        for (name, value, unit) in found.roofs {
            flow.pen.put(3, flow.y, name, Role::Text);
            flow.pen.right(41, flow.y, &value, role);
            flow.pen.put(44, flow.y, unit, Role::Dim);
            flow.y += 1;
        }
        for (y, text) in (flow.y + 1..).zip(&found.note) {
            flow.pen.put(3, y, text, Role::Dim);
        }
    }
}

/// What is said of the roofs of this machine.
#[derive(Default)]
struct Ceilings {
    head: Option<(String, Role)>,
    roofs: Vec<(&'static str, String, &'static str)>,
    note: Vec<String>,
}

impl Ceilings {
    /// Rows that it takes with those between its parts.
    fn rows(&self) -> usize {
        match (&self.head, self.note.len()) {
            (None, _) => 0,
            (Some(_), 0) => 3 + self.roofs.len(),
            (Some(_), note) => 4 + self.roofs.len() + note,
        }
    }
}

fn ceilings(state: &State, columns: usize) -> Ceilings {
    let Some(c) = &state.shared.machine.ceilings else {
        return Ceilings::default();
    };
    let measured = c.source == Source::Measured;
    let (fp32, unit) = flop_rate(c.fp32);
    let bandwidth = format!("{:.0}", c.bandwidth / 1e9);
    let mut roofs = vec![
        ("memory bandwidth", bandwidth, "GB/s"),
        ("fp32", format!("{fp32:.1}"), unit),
    ];
    if let Some(matrix) = c.matrix16.filter(|m| *m > c.fp32) {
        let (value, unit) = flop_rate(matrix);
        roofs.push(("bf16 matrix product", format!("{value:.0}"), unit));
    }
    let own = match state.shared.machine.kind() {
        BackendKind::Simt => "The SIMT machine counts and has no roof of its own.",
        kind if kind.is_gpu() => "R in Doctor measures this GPU's own.",
        _ => "R in Doctor measures this CPU's own, in a second or two.",
    };
    let note = format!("Floors are priced under these. {own}");
    Ceilings {
        head: Some(match measured {
            true => (format!("Ceilings of {}, measured @", c.of), Role::Measured),
            false => (format!("Ceilings of {}, data sheet", c.of), Role::Text),
        }),
        roofs,
        note: match measured {
            true => Vec::new(),
            false => wrap(&note, columns),
        },
    }
}
