//! What a study found that later runs and studies use. It is kept beside the findings,
//! with device and build.

use serde::{Deserialize, Serialize};

use crate::calibration::{Calibration, Predicted};
use plan::cost::Config;
use plan::run::{Report, Tuned, median};

/// What one study found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Learned {
    /// What the parts of a forward cost on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Times that were predicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
    /// Settings of a kernel that are quicker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuned: Option<Tuned>,
}

/// A time that was predicted, and the runs of the same configuration since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// What was to be run.
    pub config: Config,
    /// The backend.
    pub backend: String,
    /// The device that was calibrated.
    pub device: String,
    /// The time.
    pub predicted: Predicted,
    /// Medians of runs since, in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<f64>,
}

/// Most runs that one prediction keeps, the newest.
const MOST: usize = 16;

impl Prediction {
    /// Takes a run, where it is of this configuration and device; whether it was.
    pub fn take(&mut self, config: &Config, report: &Report) -> bool {
        let right = report.check.as_ref().is_none_or(|c| c.pass);
        let Some(time) = report.time_us.as_ref().filter(|_| right) else {
            return false;
        };
        if self.config != *config || self.device != report.device {
            return false;
        }
        self.measured.push(time.median * 1e-6);
        let over = self.measured.len().saturating_sub(MOST);
        self.measured.drain(..over);
        true
    }

    /// How far off it was: predicted over the median of the runs since, less one.
    pub fn off(&self) -> Option<f64> {
        let measured = median(&self.measured)?;
        Some(self.predicted.seconds / measured - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::report;
    use plan::fusion::Version;

    #[test]
    fn a_prediction_takes_right_runs_of_its_configuration_and_device() {
        let config = Config::preset("workshop", Version::V2.cut()).unwrap();
        let mut made = Prediction {
            config: config.clone(),
            backend: "cpu".into(),
            device: "a CPU".into(),
            predicted: Predicted {
                seconds: 90e-6,
                low: 80e-6,
                high: 110e-6,
            },
            measured: vec![],
        };
        assert!(made.take(&config, &report(&[100.0, 100.0])));
        // 90 µs for 100: a tenth too little.
        assert!((made.off().unwrap() + 0.1).abs() < 1e-12);
        let other = config.with_cut(Version::V1.cut());
        assert!(!made.take(&other, &report(&[100.0])));
        let mut elsewhere = report(&[100.0]);
        elsewhere.device = "another".into();
        assert!(!made.take(&config, &elsewhere) && !made.take(&config, &report(&[])));
        for _ in 0..40 {
            made.take(&config, &report(&[200.0]));
        }
        assert_eq!(made.measured.len(), MOST);
    }
}
