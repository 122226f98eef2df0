//! Figures of merit of the plans: those of the workshop's pages, from the same value.

use crate::cli::table::{Align, Table};
use app::machine::Ceilings;
use app::merit::roofs;
use course::Places;
use plan::cost::{Gpu, GpuDatabase};
use plan::run::{BackendKind, Report};
use study::lab::Column as Compared;
use study::lab::merit::{Merit, NAME, hotspots};

/// The roof of this CPU, where a plan ran on it and the workshop has measured one with this
/// build.
pub(super) fn cpu_roof(places: &Places, columns: &[Compared]) -> Option<Ceilings> {
    let cpu = BackendKind::Cpu.name();
    let on_cpu = |c: &Compared| c.report.as_ref().is_some_and(|r| r.backend == cpu);
    if !columns.iter().any(on_cpu) {
        return None;
    }
    let mut measured = host::kept(places).lab?.roofs.into_iter();
    Some(measured.find(|roof| roof.backend == cpu)?.ceilings)
}

/// The figures of each plan; none where nothing ran.
pub(super) fn of(
    cpu: Option<&Ceilings>,
    database: &GpuDatabase,
    columns: &[Compared],
) -> Vec<Option<Merit>> {
    let of = |column: &Compared| {
        let report = column.report.as_ref()?;
        let roofs = roofs(report, Some(database), cpu, column.cost.config.dtype);
        Some(Merit::of(report, &column.cost, roofs.as_ref()))
    };
    columns.iter().map(of).collect()
}

/// Whether a run was made on this very GPU.
pub(super) fn ran_on(report: &Report, gpu: &Gpu) -> bool {
    let kind = BackendKind::parse(&report.backend);
    kind.is_ok_and(BackendKind::is_gpu) && gpu.is_named_in(&report.device)
}

/// The hotspots of a plan as a table; none where its kernels were not timed.
pub(super) fn hot(title: &str, merit: &Merit) -> Option<Vec<String>> {
    let found = hotspots(merit.times.as_ref()?, NAME);
    let mut heads = found.head.iter();
    let name = heads.next()?;
    let first = [(name.as_str(), Align::Left)];
    let others = heads.map(|head| (head.as_str(), Align::Right));
    let heads: Vec<(&str, Align)> = first.into_iter().chain(others).collect();
    let mut table = Table::new(&heads);
    for row in found.rows {
        table.row(row);
    }
    let title = format!("{title}, forward, kernels by time");
    Some(std::iter::once(title).chain(table.lines()).collect())
}
