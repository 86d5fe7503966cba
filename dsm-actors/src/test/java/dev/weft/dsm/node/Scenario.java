package dev.weft.dsm.node;

/**
 * What is searched.
 *
 * @param crashes bit n: node n may crash, at any time; one of them does at most
 * @param hasMovingHomes whether who writes a word becomes its home
 */
record Scenario(Program program, boolean readsByRdma, int crashes, boolean hasMovingHomes) {
  Scenario(Program program, boolean readsByRdma, int crashes) {
    this(program, readsByRdma, crashes, false);
  }

  static Scenario of(String program, boolean readsByRdma) {
    return new Scenario(Program.of(program), readsByRdma, 0);
  }

  boolean mayCrash(int node) {
    return (crashes & 1 << node) != 0;
  }

  @Override
  public String toString() {
    return "\"" + program.text() + "\"" + (readsByRdma ? ", copies by RDMA Read" : "") + (crashes == 0 ? "" : ", crashes " + Integer.toBinaryString(crashes))
        + (hasMovingHomes ? ", homes move" : "");
  }
}
