package dev.weft.tripwire.connect;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Undoes earlier steps of a construction if a later step fails. One thread. */
public final class Undo {
  private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

  /** Remembers how to free {@code made}; returns it. */
  public <T> T add(T made, Consumer<? super T> giveBack) {
    steps.push(() -> giveBack.accept(made));
    return made;
  }

  /** Frees everything in reverse order. */
  public void run() {
    while (!steps.isEmpty()) {
      steps.pop().run();
    }
  }
}
