//! Pieces of one job, side by side.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// A piece of work. What it comes to it leaves where its maker looks.
pub(super) type Work<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Does all of it, at most `most` pieces at once, begun in their order.
pub(super) async fn together(mut work: Vec<Work<'_>>, most: usize) {
    poll_fn(|context| {
        let mut at = 0;
        while at < most {
            let Some(one) = work.get_mut(at) else { break };
            if one.as_mut().poll(context).is_ready() {
                drop(work.remove(at));
            } else {
                at += 1;
            }
        }
        if work.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{block_on, give_way};
    use std::cell::Cell;

    #[test]
    fn all_of_it_is_done_and_never_more_than_allowed_at_once() {
        for most in [1, 3, 9] {
            let (open, widest, done) = (Cell::new(0), Cell::new(0), Cell::new(0));
            let piece = |n: usize| -> Work<'_> {
                let (open, widest, done) = (&open, &widest, &done);
                Box::pin(async move {
                    open.set(open.get() + 1);
                    widest.set(widest.get().max(open.get()));
                    for _ in 0..n {
                        give_way().await;
                    }
                    open.set(open.get() - 1);
                    done.set(done.get() + 1);
                })
            };
            block_on(together((0..7).map(piece).collect(), most));
            // The first needs no wait, so it is never open beside the others.
            assert_eq!((done.get(), widest.get()), (7, most.min(6)));
        }
        block_on(together(Vec::new(), 4));
    }
}
