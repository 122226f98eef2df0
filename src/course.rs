//! Lessons, exercises, sheets, progress: load, lint, embed.
