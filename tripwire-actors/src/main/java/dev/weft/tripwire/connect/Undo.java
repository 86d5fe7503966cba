package dev.weft.tripwire.connect;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** What has been made so far, to be given back if the next thing cannot be made. One thread. */
public final class Undo {
  private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

  /** Remembers how to give {@code made} back; answers it. */
  public <T> T add(T made, Consumer<? super T> giveBack) {
    steps.push(() -> giveBack.accept(made));
    return made;
  }

  /** Gives everything back, the last first. */
  public void run() {
    while (!steps.isEmpty()) {
      steps.pop().run();
    }
  }
}
