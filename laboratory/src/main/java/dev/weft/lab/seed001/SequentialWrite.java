package dev.weft.lab.seed001;

/** testswap of seed 001 section 6.1: writes an array from its first int to its last. */
public final class SequentialWrite implements Program {
  private final int words;
  private final long psPerWord;

  /** @param psPerWord what writing one int costs besides faults, picoseconds */
  public SequentialWrite(int words, long psPerWord) {
    this.words = words;
    this.psPerWord = psPerWord;
  }

  @Override
  public int words() {
    return words;
  }

  @Override
  public void run(PagedInts memory) {
    for (int i = 0; i < words; i++) {
      memory.set(i, i);
      memory.charge(psPerWord);
    }
  }
}
