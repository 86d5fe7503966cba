package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * The state of one lock at one node, with the node's waiting threads. A node keeps the lock until another node wants it, then gives it away as soon
 * as the present holder releases it. Bound: a thread waits once.
 *
 * @param <W> handle of a waiting thread
 */
public final class LockNode<W> {
  private final int object;
  private final IntSupplier home;
  private final Outbox outbox;
  private final Consumer<W> woken;
  private final LockWord word;
  private final ArrayDeque<W> waiting = new ArrayDeque<>();
  private boolean asked;
  private boolean recalled;
  /** The home is lost, and the next home does not know yet whether the lock is here. */
  private boolean moving;
  /** This node is about to leave: it keeps no lock. */
  private boolean leaving;
  private boolean abandoned;

  /**
   * @param home the present home of the lock
   * @param woken called with the thread that has the lock now
   */
  public LockNode(int object, IntSupplier home, LockWord word, Outbox outbox, Consumer<W> woken) {
    this.object = object;
    this.home = home;
    this.word = word;
    this.outbox = outbox;
    this.woken = woken;
  }

  /** A thread could not take the lock. */
  public void onWait(W thread) {
    waiting.add(thread);
    if (word.get() == LockWord.AWAY) {
      ask();
    } else {
      claim();
    }
  }

  /**
   * The lock is here: hands it on if it is free, otherwise marks it, so that its holder reports the release. Threads may release and take it
   * meanwhile, any number of times.
   */
  private void claim() {
    while (word.get() != LockWord.WANTED) {
      if (word.change(LockWord.FREE, LockWord.HELD)) {
        handOn();
        return;
      }
      word.change(LockWord.HELD, LockWord.WANTED);
    }
  }

  private void ask() {
    if (!asked && !moving) {
      asked = true;
      outbox.send(home.getAsInt(), new DsmMessage.LockRequest(object));
    }
  }

  /** The state is held, but no thread has the lock: gives it to the next thread, returns it to its home, or sets it free. */
  private void handOn() {
    if (recalled && !moving) {
      recalled = false;
      word.set(LockWord.AWAY);
      asked = !waiting.isEmpty();
      outbox.send(home.getAsInt(), new DsmMessage.LockReturn(object, asked, word.takeHolderLost()));
      return;
    }
    W next = waiting.poll();
    if (next == null) {
      word.set(LockWord.FREE);
      return;
    }
    word.set(waiting.isEmpty() ? LockWord.HELD : LockWord.WANTED);
    woken.accept(next);
  }

  /** A thread has released the lock, and other threads or nodes want it. */
  public void onRelease() {
    if (!abandoned) {
      handOn();
    }
  }

  /** The home grants the lock to this node. A waiting thread of this node gets it first, even if another node waits. */
  public void onGrant(boolean isRecalled, boolean holderLost) {
    asked = false;
    if (holderLost) {
      word.holderWasLost();
    }
    W next = waiting.poll();
    recalled = leaving || isRecalled && !moving;
    if (next == null) {
      handOn();
      return;
    }
    word.set(recalled || !waiting.isEmpty() ? LockWord.WANTED : LockWord.HELD);
    woken.accept(next);
  }

  /** Another node waits for the lock. */
  public void onRecall() {
    if (word.get() == LockWord.AWAY) {
      return; // It is on its way to its home.
    }
    if (moving) {
      return; // The sender is no longer the home.
    }
    recalled = true;
    claim();
  }

  /** A thread no longer waits; returns false if it has the lock already. */
  public boolean cancel(W thread) {
    return waiting.remove(thread);
  }

  /** The home is lost: requests to it and recalls from it are void. */
  public void onHomeLost() {
    moving = true;
    asked = false;
    recalled = false;
  }

  /** The next home knows whether the lock is here. */
  public void resume() {
    if (moving) {
      moving = false;
      if (leaving) {
        leave();
      } else if (word.get() == LockWord.AWAY && !waiting.isEmpty()) {
        ask();
      }
    }
  }

  /** This node is about to leave: returns the lock to its home as soon as no thread has it and there is a home. */
  public void leave() {
    leaving = true;
    if (!moving && word.get() != LockWord.AWAY) {
      recalled = true;
      claim();
    }
  }

  /**
   * Returns the lock at once, even if a thread has it. The next holder learns that the holder was lost. A later release by that thread is ignored.
   */
  public void abandon() {
    int was = word.takeAway();
    abandoned = true;
    if (was != LockWord.AWAY) {
      outbox.send(home.getAsInt(), new DsmMessage.LockReturn(object, false, word.takeHolderLost() || was != LockWord.FREE));
    }
  }

  /** No node knows any more which node has the lock. Returns the threads that would wait in vain. */
  public ArrayDeque<W> giveUp() {
    ArrayDeque<W> all = new ArrayDeque<>(waiting);
    waiting.clear();
    return all;
  }

  /** The thread that has waited longest; null if none waits. */
  public W oldest() {
    return waiting.peek();
  }

  /** Number of waiting threads. */
  public int waiting() {
    return waiting.size();
  }

  /** Whether a thread of this node has the lock. */
  public boolean isHeld() {
    return word.get() >= LockWord.HELD;
  }

  /** Whether the lock is at this node. */
  public boolean isHere() {
    return word.get() != LockWord.AWAY;
  }
}
