package dev.weft.dsm.node;

import dev.weft.dsm.direct.Waiter;
import java.util.function.Consumer;

/** A thread wants more rights in a minipage than the node has; or a view of another process does, for which no thread waits. */
final class Fault extends Wait implements Waiter {
  final int minipage;
  final byte rights;
  /** Which words of 8 bytes of the minipage it wants; -1 if that is not known. */
  final int firstWord;
  final int lastWord;
  private final Consumer<String> whenOver;
  /** Node that the data came from, -1 if none was moved; read when it is over. */
  int source = -1;

  Fault(int minipage, byte rights) {
    this(minipage, rights, -1, -1);
  }

  Fault(int minipage, byte rights, int firstWord, int lastWord) {
    this(minipage, rights, firstWord, lastWord, problem -> { });
  }

  /** @param whenOver told the problem, or null, in the receive context */
  Fault(int minipage, byte rights, Consumer<String> whenOver) {
    this(minipage, rights, -1, -1, whenOver);
  }

  private Fault(int minipage, byte rights, int firstWord, int lastWord, Consumer<String> whenOver) {
    this.minipage = minipage;
    this.rights = rights;
    this.firstWord = firstWord;
    this.lastWord = lastWord;
    this.whenOver = whenOver;
  }

  @Override
  void ended(String problem) {
    whenOver.accept(problem);
  }

  @Override
  public byte rights() {
    return rights;
  }

  @Override
  public void served() {
    end();
  }

  @Override
  public void lost(String why) {
    fail(why, true);
  }

  @Override
  public void refused(String why) {
    fail(why, false);
  }
}
