package dev.weft.lab.seed000.shared;

import java.util.List;
import java.util.Map;

/**
 * An application and its size in Table 2; docs/internals/shared-memory-fidelity.md says what the sizes rest on.
 *
 * @param title as people write it
 * @param application its name
 * @param size one of its sizes
 */
public record Program(String title, String application, String size) {
  /** In the order of the table. */
  public static final List<Program> TABLE = List.of(new Program("SOR", "sor", "osdi99"), new Program("LU", "lu", "osdi99"),
      new Program("IS", "is", "osdi99"), new Program("TSP", "tsp", "ulysses16"), new Program("Water", "water", "published"),
      new Program("Nbody", "nbody", "medium"), new Program("NbodyW", "nbodyw", "medium"), new Program("Barnes", "barnes", "published"));

  /** Of those that need more shared memory than others. */
  private static final Map<String, Integer> MEMORY_MIB = Map.of("sor osdi99", 17, "lu osdi99", 9, "is osdi99", 34, "is A", 37, "sor published", 9,
      "nbody large", 4, "barnes published", 8, "barnes published-1", 8);
  private static final int MEMORY_MIB_ELSE = 4;

  /** Shared memory that a size needs, in MiB. */
  static int memoryMiB(String application, String size) {
    return MEMORY_MIB.getOrDefault(application + " " + size, MEMORY_MIB_ELSE);
  }

  /** Under the kernel implementation, without load. */
  public Setup on(int hosts, int threads) {
    return Setup.of(application, size, hosts, threads);
  }
}
