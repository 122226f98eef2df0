//! What the command line takes of each study, as data: the page of studies shows and
//! sets it. It is read off the command line's own description, so that the two cannot
//! differ.

/// A study on offer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offered {
    /// The name behind `study`.
    pub name: String,
    /// Every option that it knows, dashes included.
    pub flags: Vec<String>,
    /// What can be set, in the order of the help.
    pub settings: Vec<Setting>,
}

/// Something that can be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The option, dashes included; empty for what stands without one.
    pub flag: String,
    /// What it is called: `over`, `PLAN`.
    pub name: String,
    /// What the help says of it.
    pub says: String,
    /// What it takes.
    pub takes: Takes,
    /// What holds where nothing is said; empty: the study chooses.
    pub usual: String,
}

/// What a setting takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// It is given or not.
    Switch,
    /// One of these.
    Choice(Vec<String>),
    /// A text: a number, a list, a name.
    Text,
}

impl Offered {
    /// A setting by its name.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|s| s.name == name)
    }

    /// Whether the plan or the shape of the surroundings has a part in it.
    pub fn takes_setup(&self) -> bool {
        let part = |flag: &str| ["--model", "--batch", "--version"].contains(&flag);
        self.flags.iter().any(|flag| part(flag))
    }

    /// The words of a command line, with what was set by the setting's name. `around` is
    /// what the surroundings say of model, shape and plan, as options: each is taken
    /// where the study knows it and nothing was set for it.
    pub fn words(&self, set: &dyn Fn(&str) -> Option<String>, around: &[String]) -> Vec<String> {
        let mut out = vec!["study".to_owned(), self.name.clone()];
        let given = |setting: &Setting| set(&setting.name).filter(|v| *v != setting.usual);
        // What stands without an option comes first: an option could swallow it.
        for setting in self.settings.iter().filter(|s| s.flag.is_empty()) {
            out.extend(given(setting).iter().flat_map(|v| crate::kept::split(v)));
        }
        for setting in self.settings.iter().filter(|s| !s.flag.is_empty()) {
            match (given(setting), &setting.takes) {
                (Some(_), Takes::Switch) => out.push(setting.flag.clone()),
                (Some(value), _) if !value.trim().is_empty() => {
                    out.extend([setting.flag.clone(), value.trim().to_owned()]);
                }
                _ => {}
            }
        }
        let mut taken = false;
        for word in around {
            if word.starts_with("--") {
                taken = self.flags.contains(word) && !out.contains(word);
            }
            if taken {
                out.push(word.clone());
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered() -> Offered {
        let setting = |flag: &str, name: &str, takes, usual: &str| Setting {
            flag: flag.into(),
            name: name.into(),
            says: String::new(),
            takes,
            usual: usual.into(),
        };
        Offered {
            name: "scale".into(),
            flags: ["--over", "--run", "--seq", "--runs"]
                .map(String::from)
                .to_vec(),
            settings: vec![
                setting("--over", "over", Takes::Text, "seq"),
                setting("--run", "run", Takes::Switch, ""),
                setting("", "PLAN", Takes::Text, "v1 v2"),
            ],
        }
    }

    #[test]
    fn a_command_line_says_what_is_not_usual_and_what_the_study_knows() {
        let around: Vec<String> = ["--seq", "64", "--model", "small", "--runs", "3"]
            .map(String::from)
            .to_vec();
        let nothing = offered().words(&|_| None, &around);
        assert_eq!(nothing, ["study", "scale", "--seq", "64", "--runs", "3"]);
        let set = |name: &str| match name {
            "over" => Some("batch".to_owned()),
            "run" => Some("on".to_owned()),
            "PLAN" => Some("v3 'a|b c'".to_owned()),
            _ => None,
        };
        let words = offered().words(&set, &[]);
        let wanted = ["study", "scale", "v3", "a|b c", "--over", "batch", "--run"];
        assert_eq!(words, wanted);
        assert_eq!(
            offered().words(&|_| Some("seq".into()), &[])[2..],
            ["seq", "--run"]
        );
    }
}
