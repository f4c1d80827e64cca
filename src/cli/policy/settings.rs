//! Settings of Claude Code on several levels: a directory of a project, or a list of files.

use super::find::{self, LoadedPolicy, Source, name_of, stem};
use super::revision::Revision;
use crate::cli::output::Failure;
use agent_policy::{SettingsFile, SettingsLevel, Translation, translate_settings};
use std::path::Path;

/// The settings of a project, the highest level first.
const PROJECT: [&str; 2] = [".claude/settings.local.json", ".claude/settings.json"];

/// Files of settings, the highest level first.
#[derive(Debug, Default)]
pub(super) struct SettingsFiles {
    pub(super) sources: Vec<Source>,
    levels: Vec<SettingsLevel>,
}

/// The order of levels that the name of a file shows.
fn rank(file: &str) -> Option<u8> {
    let mut parts = file.rsplit(['/', ':']);
    let (name, directory) = (parts.next().unwrap_or_default(), parts.next());
    match name {
        _ if directory == Some("managed-settings.d") => Some(0),
        "managed-settings.json" => Some(0),
        "settings.local.json" => Some(1),
        "settings.json" => Some(2),
        _ => None,
    }
}

impl SettingsFiles {
    /// Reads a file, the settings of a project's directory, or a list of both with commas. Each may
    /// be of a revision.
    pub(super) fn find(written: &str) -> Result<Self, Failure> {
        let mut all = Self::default();
        if Path::new(written).is_file() || !written.contains(',') {
            all.add(written)?;
        } else {
            for part in written.split(',') {
                all.add(part.trim())?;
            }
        }
        all.check_order()?;
        Ok(all)
    }

    fn add(&mut self, name: &str) -> Result<(), Failure> {
        let path = Path::new(name);
        if path.is_dir() {
            let files = PROJECT.map(|file| path.join(file));
            let before = self.sources.len();
            for file in files.into_iter().filter(|file| file.exists()) {
                if !file.is_file() {
                    let what = format!("`{}` isn't a regular file", file.display());
                    return Err(Failure::unable(what, "a pipe would never end; name a file"));
                }
                let shown = name_of(file.strip_prefix(".").unwrap_or(&file));
                self.push(shown, find::read(&file)?, SettingsLevel::Project);
                if let Some(source) = self.sources.last_mut() {
                    source.path = Some(file);
                }
            }
            return if self.sources.len() == before {
                Err(no_settings(name))
            } else {
                Ok(())
            };
        }
        if let Some(revision) = Revision::named(name)? {
            let mut is_project = false;
            for file in PROJECT {
                if let Some(text) = revision.below(file)? {
                    is_project = true;
                    self.push(revision.name_of(file), text, SettingsLevel::Project);
                }
            }
            if is_project {
                return Ok(());
            }
        }
        if name.is_empty() {
            return Err(Failure::unable(
                "a name in the list of settings is empty",
                "write `claude:FILE,FILE` without a comma at the end",
            ));
        }
        let source = find::source(name)?;
        let level = match rank(&source.file) {
            Some(0) => SettingsLevel::Managed,
            Some(1) => SettingsLevel::Project,
            _ => SettingsLevel::Other,
        };
        self.sources.push(source);
        self.levels.push(level);
        Ok(())
    }

    fn push(&mut self, file: String, text: String, level: SettingsLevel) {
        let path = None;
        self.sources.push(Source { file, text, path });
        self.levels.push(level);
    }

    /// Refuses a list whose names show that a lower level comes first.
    fn check_order(&self) -> Result<(), Failure> {
        let known = self
            .sources
            .iter()
            .filter_map(|s| Some((rank(&s.file)?, &s.file)));
        let known: Vec<_> = known.collect();
        for pair in known.windows(2) {
            if let [(first, lower), (second, higher)] = pair
                && first > second
            {
                return Err(Failure::unable(
                    format!("`{lower}` has a lower level than `{higher}`, and is named before it"),
                    "name managed settings first, then those of the project, then the user's",
                ));
            }
        }
        Ok(())
    }

    fn files(&self) -> Vec<SettingsFile<'_>> {
        let several = self.sources.len() > 1;
        let files = self.sources.iter().zip(&self.levels);
        let files = files.map(|(source, level)| SettingsFile {
            name: if several { &source.file } else { "" },
            level: *level,
            text: &source.text,
        });
        files.collect()
    }

    /// The name in reports.
    fn name(&self) -> String {
        let names: Vec<&str> = self.sources.iter().map(|s| s.file.as_str()).collect();
        names.join(",")
    }

    /// The id of the pack.
    fn id(&self) -> String {
        match self.sources.as_slice() {
            [only] => stem(&only.file),
            _ => "settings".to_owned(),
        }
    }

    /// Translates the files into a pack.
    pub(super) fn translate(&self) -> Result<Translation, Failure> {
        translate_settings(&self.id(), &self.files())
            .map_err(|problems| find::complain_of_all(&self.name(), &self.sources, &problems))
    }

    /// Reads the files as one policy.
    pub(super) fn load(self) -> Result<LoadedPolicy, Failure> {
        let pack = self.translate()?;
        match pack.load() {
            Ok(policy) => Ok(LoadedPolicy {
                file: self.name(),
                sources: self.sources,
                policy,
                gaps: pack.gaps,
            }),
            Err(problems) => Err(find::complain_of_all(
                &self.name(),
                &self.sources,
                &problems,
            )),
        }
    }
}

fn no_settings(directory: &str) -> Failure {
    Failure::unable(
        format!("`{directory}` has no settings of Claude Code"),
        "`.claude/settings.json` and `.claude/settings.local.json` are read",
    )
}
