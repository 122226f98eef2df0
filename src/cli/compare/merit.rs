//! Figures of merit of the plans: those of the workshop's pages, from the same value.

use crate::cli::table::{Align, Table};
use crate::cli::words::wrapped;
use app::machine::Ceilings;
use app::merit::roofs;
use course::Places;
use course::answer::data_sheets;
use plan::cost::{Gpu, GpuDatabase};
use plan::run::{BackendKind, Report};
use study::lab::Column as Compared;
use study::lab::merit::{Merit, NAME, cached, hotspots};

/// The roof of the device that plans ran on, where the workshop has measured it with this
/// build.
pub(super) fn measured_roof(places: &Places, columns: &[Compared]) -> Option<Ceilings> {
    let ran = columns.iter().find_map(|c| c.report.as_ref())?;
    // A state folder may be another machine's too; behind a name stand versions.
    let name = |line: &str| {
        line.split(" (")
            .next()?
            .split(',')
            .next()
            .map(str::to_owned)
    };
    let here =
        |backend: &str, device: &str| backend == ran.backend && name(device) == name(&ran.device);
    let mut measured = host::kept(places).lab?.roofs.into_iter();
    Some(
        measured
            .find(|roof| here(&roof.backend, &roof.device))?
            .ceilings,
    )
}

/// The figures of each plan; none where nothing ran.
pub(super) fn of(
    measured: Option<&Ceilings>,
    database: &GpuDatabase,
    columns: &[Compared],
) -> Vec<Option<Merit>> {
    let of = |column: &Compared| {
        let report = column.report.as_ref()?;
        let roofs = roofs(report, Some(database), measured, column.cost.config.dtype);
        Some(Merit::of(report, &column.cost, roofs.as_ref()))
    };
    columns.iter().map(of).collect()
}

/// Whether a run was made on this very GPU.
pub(super) fn ran_on(report: &Report, gpu: &Gpu) -> bool {
    let kind = BackendKind::parse(&report.backend);
    kind.is_ok_and(BackendKind::is_gpu)
        && data_sheets().and_then(|all| all.named_in(&report.device)) == Some(gpu)
}

/// The hotspots of a plan as a table; none where its kernels were not timed.
pub(super) fn hot(title: &str, merit: &Merit) -> Option<Vec<String>> {
    let times = merit.times.as_ref()?;
    let found = hotspots(times, NAME);
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
    let said = cached(times).map(|said| wrapped(&said, "", ""));
    let lines = std::iter::once(title).chain(table.lines());
    Some(lines.chain(said.into_iter().flatten()).collect())
}
