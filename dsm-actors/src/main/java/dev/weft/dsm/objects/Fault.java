package dev.weft.dsm.objects;

import dev.weft.dsm.access.RightsWaiter;
import java.util.function.Consumer;

/** A thread, or a view of another process, needs more rights to a minipage than the node has. No thread waits for the fault of a view. */
public final class Fault extends Wait implements RightsWaiter {
  public final int minipage;
  public final byte rights;
  /** First of the words of 8 bytes of the minipage that it needs; -1 if unknown. */
  public final int firstWord;
  public final int lastWord;
  private final Consumer<String> whenOver;
  /** Node that sent the data, -1 if no data moved; read when the fault is over. */
  public int source = -1;

  public Fault(int minipage, byte rights) {
    this(minipage, rights, -1, -1);
  }

  public Fault(int minipage, byte rights, int firstWord, int lastWord) {
    this(minipage, rights, firstWord, lastWord, problem -> { });
  }

  /** @param whenOver called with the problem, or null, in the receive context */
  public Fault(int minipage, byte rights, Consumer<String> whenOver) {
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
