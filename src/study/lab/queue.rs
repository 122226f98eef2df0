//! One run at a time, one waiting: the newest request wins.

/// Names one request, so that an answer to an older one is told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// What runs and what waits. A newer request replaces the one that waits,
/// never the one that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue<T> {
    running: Option<(Ticket, T)>,
    waiting: Option<(Ticket, T)>,
    issued: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            running: None,
            waiting: None,
            issued: 0,
        }
    }
}

impl<T> Queue<T> {
    /// Takes a request; what waited is dropped and given back.
    pub fn submit(&mut self, job: T) -> (Ticket, Option<T>) {
        self.issued += 1;
        let ticket = Ticket(self.issued);
        let dropped = self.waiting.replace((ticket, job)).map(|(_, job)| job);
        (ticket, dropped)
    }

    /// The next request, where nothing runs: it is now running.
    pub fn start(&mut self) -> Option<(Ticket, &T)> {
        if self.running.is_some() {
            return None;
        }
        self.running = self.waiting.take();
        self.running.as_ref().map(|(ticket, job)| (*ticket, job))
    }

    /// The run of this ticket has ended. `false` for a ticket that is not running.
    pub fn finish(&mut self, ticket: Ticket) -> bool {
        let ends = self.running.as_ref().is_some_and(|(t, _)| *t == ticket);
        if ends {
            self.running = None;
        }
        ends
    }

    /// Drops what waits; the running one must be told by other means.
    pub fn clear_waiting(&mut self) -> Option<T> {
        self.waiting.take().map(|(_, job)| job)
    }

    /// What runs.
    pub fn running(&self) -> Option<(Ticket, &T)> {
        self.running.as_ref().map(|(t, job)| (*t, job))
    }

    /// What waits.
    pub fn waiting(&self) -> Option<(Ticket, &T)> {
        self.waiting.as_ref().map(|(t, job)| (*t, job))
    }

    /// Whether nothing runs and nothing waits.
    pub fn is_idle(&self) -> bool {
        self.running.is_none() && self.waiting.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_request_replaces_the_waiting_one_and_never_the_running_one() {
        let mut queue = Queue::default();
        let (first, _) = queue.submit("v1");
        assert_eq!(queue.start(), Some((first, &"v1")));
        let (_, dropped) = queue.submit("v2");
        assert_eq!(dropped, None);
        let (third, dropped) = queue.submit("v3");
        assert_eq!(dropped, Some("v2"));
        assert_eq!(queue.start(), None, "v1 still runs");
        assert!(!queue.finish(third), "v3 does not run yet");
        assert!(queue.finish(first));
        assert_eq!(queue.start(), Some((third, &"v3")));
        assert!(queue.finish(third) && queue.is_idle());
    }
}
