//! Subcommands, plain and JSON output.
