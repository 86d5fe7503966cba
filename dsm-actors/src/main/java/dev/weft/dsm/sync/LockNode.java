package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * One lock at one node: which of its threads wait. A node keeps a lock until another one wants it, and gives it away as soon as the thread
 * that has it then releases it. Bound: a thread waits once.
 *
 * @param <W> what stands for a waiting thread
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
  /** Its home is lost, and the next one does not know yet whether the lock is here. */
  private boolean moving;
  /** This node is about to leave: it keeps no lock. */
  private boolean leaving;
  private boolean abandoned;

  /**
   * @param home node that knows who has it
   * @param woken told of a thread that has the lock now
   */
  public LockNode(int object, IntSupplier home, LockWord word, Outbox outbox, Consumer<W> woken) {
    this.object = object;
    this.home = home;
    this.word = word;
    this.outbox = outbox;
    this.woken = woken;
  }

  /** A thread could not take it. */
  public void onWait(W thread) {
    waiting.add(thread);
    if (word.get() == LockWord.AWAY) {
      ask();
    } else {
      claim();
    }
  }

  /** It is here: hands it on if it is free, or sees to it that who has it tells. Threads may release and take it in between, any number of times. */
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

  /** The word says that it is held, and nobody has it: the next thread gets it, or it goes away, or is free. */
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

  /** The thread that had it has released it, and could not do so by itself. */
  public void onRelease() {
    if (!abandoned) {
      handOn();
    }
  }

  /** The home gives it to this node; a thread gets it first, also if another node waits. */
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

  /** Another node waits for it. */
  public void onRecall() {
    if (word.get() == LockWord.AWAY) {
      return; // It is on its way.
    }
    if (moving) {
      return; // By a home that is none any more.
    }
    recalled = true;
    claim();
  }

  /** A thread does not wait any more; false if it has the lock already. */
  public boolean cancel(W thread) {
    return waiting.remove(thread);
  }

  /** Its home is lost: what that had asked for or was asked for is void. */
  public void onHomeLost() {
    moving = true;
    asked = false;
    recalled = false;
  }

  /** The next home has been told whether the lock is here. */
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

  /** This node is about to leave: the lock goes back to its home, as soon as no thread has it and its home is there. */
  public void leave() {
    leaving = true;
    if (!moving && word.get() != LockWord.AWAY) {
      recalled = true;
      claim();
    }
  }

  /** The same at once, also where a thread has it: the next one to get it is told that its holder was lost. What that thread says later is void. */
  public void abandon() {
    int was = word.takeAway();
    abandoned = true;
    if (was != LockWord.AWAY) {
      outbox.send(home.getAsInt(), new DsmMessage.LockReturn(object, false, word.takeHolderLost() || was != LockWord.FREE));
    }
  }

  /** Nobody knows any more who has it: answers those that wait, and will wait in vain. */
  public ArrayDeque<W> giveUp() {
    ArrayDeque<W> all = new ArrayDeque<>(waiting);
    waiting.clear();
    return all;
  }

  /** The thread that has waited longest; null if none waits. */
  public W oldest() {
    return waiting.peek();
  }

  /** Threads that wait. */
  public int waiting() {
    return waiting.size();
  }

  /** Whether a thread of this node has it. */
  public boolean isHeld() {
    return word.get() >= LockWord.HELD;
  }

  /** Whether it is here. */
  public boolean isHere() {
    return word.get() != LockWord.AWAY;
  }
}
