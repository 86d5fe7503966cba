package dev.weft.lab.trials.dsm.litmus;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The shapes, with the names of "A tutorial introduction to the ARM and POWER relaxed memory models" (Maranget, Sarkar, Sewell 2012), of the tests
 * that herd's diy makes, and of the litmus tests in Linux's tools/memory-model. None has fences: sequential consistency needs none. {@link Outcomes}
 * derives the outcomes that each forbids.
 */
public final class LitmusShapes {
  private static final List<LitmusShape> ALL = List.of(
      // Store buffering: both reads miss the other thread's write before.
      LitmusShape.of("SB", "", "x=1; r0=y", "y=1; r1=x"),
      // Message passing: the flag is seen, the message is not.
      LitmusShape.of("MP", "", "x=1; y=1", "r0=y; r1=x"),
      // Load buffering: both reads see the other thread's later write.
      LitmusShape.of("LB", "", "r0=x; y=1", "r1=y; x=1"),
      LitmusShape.of("R", "y", "x=1; y=1", "y=2; r0=x"),
      LitmusShape.of("S", "x", "x=2; y=1", "r0=y; x=1"),
      LitmusShape.of("2+2W", "xy", "x=1; y=2", "y=1; x=2"),
      // Write-to-read causality: a thread learns of a write from a third one.
      LitmusShape.of("WRC", "", "x=1", "r0=x; y=1", "r1=y; r2=x"),
      // Independent reads of independent writes: two readers disagree about which write was first.
      LitmusShape.of("IRIW", "", "x=1", "r0=x; r1=y", "y=1", "r2=y; r3=x"),
      LitmusShape.of("ISA2", "", "x=1; y=1", "r0=y; z=1", "r1=z; r2=x"),
      // The cycles of three threads and three words in which a write overwrites another, in the order of their numbers.
      LitmusShape.of("Z6.0", "z", "x=1; y=1", "r0=y; z=1", "z=2; r1=x"),
      LitmusShape.of("Z6.1", "xy", "x=2; y=1", "y=2; z=1", "r0=z; x=1"),
      LitmusShape.of("Z6.2", "x", "x=2; y=1", "r0=y; z=1", "r1=z; x=1"),
      LitmusShape.of("Z6.3", "y", "x=1; y=1", "y=2; z=1", "r0=z; r1=x"),
      LitmusShape.of("Z6.4", "y", "x=1; y=1", "y=2; r0=z", "z=1; r1=x"),
      LitmusShape.of("Z6.5", "yz", "x=1; y=1", "y=2; z=1", "z=2; r0=x"),
      // Coherence: only one word.
      LitmusShape.of("CoRR", "", "x=1", "r0=x; r1=x"),
      LitmusShape.of("CoWW", "x", "x=1; x=2"),
      LitmusShape.of("CoRW", "x", "r0=x; x=1", "x=2"),
      LitmusShape.of("CoWR", "x", "x=1; r0=x", "x=2"));

  private LitmusShapes() {}

  /** All shapes. */
  public static List<LitmusShape> all() {
    return ALL;
  }

  /**
   * Returns the shape with this name, ignoring case.
   *
   * @throws IllegalArgumentException if there is none; the message lists the names
   */
  public static LitmusShape named(String name) {
    return ALL.stream().filter(shape -> shape.name().equalsIgnoreCase(name)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no litmus shape " + name + ", must be one of "
            + ALL.stream().map(LitmusShape::name).collect(Collectors.joining(", "))));
  }
}
