//! Runs away from the screen: worker, cancel, progress.
