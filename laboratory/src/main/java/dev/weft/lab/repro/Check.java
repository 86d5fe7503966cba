package dev.weft.lab.repro;

/**
 * Something that must hold and is no row of the papers.
 *
 * @param statement what must hold
 * @param holds whether it does
 * @param seen the numbers
 */
public record Check(String statement, boolean holds, String seen) {
  String verdictText() {
    return holds ? "holds" : "fails";
  }
}
