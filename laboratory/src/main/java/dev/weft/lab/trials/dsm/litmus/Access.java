package dev.weft.lab.trials.dsm.litmus;

/** An access of a litmus shape's thread to a word. */
public sealed interface Access {
  /** Index of the word: 0 is x, 1 is y, 2 is z. */
  int word();

  /** Writes a value, other than 0, to a word. */
  record Write(int word, long value) implements Access {
    @Override
    public String toString() {
      return LitmusShape.wordName(word) + "=" + value;
    }
  }

  /** Reads a word into a register, which no other access of the shape names. */
  record Read(int word, int register) implements Access {
    @Override
    public String toString() {
      return "r" + register + "=" + LitmusShape.wordName(word);
    }
  }
}
