package dev.weft.fabric.seeds;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * The seeds of one simulation: fixed ones, the same at all times; those that once failed, from the list {@code /seeds/WORKLOAD.txt} of
 * the test resources; and a part that follows from the version under test ({@link SourceVersion}), so that no two versions try the same.
 * What is run is printed, with the way to run it again. System properties:
 *
 * <ul>
 *   <li>{@code weft.sim.first} and {@code weft.sim.seeds}: other fixed seeds, where the simulation says that it takes them from there;
 *   <li>{@code weft.sim.version-seeds}: how many follow from the version, 0 to 100,000;
 *   <li>{@code weft.sim.version}: the version that they follow from, as it was printed;
 *   <li>{@code weft.sim.seed}: this one seed and no other, in simulations that {@code ./weft sim} does not run.
 * </ul>
 */
public final class Seeds {
  /** Seeds of one version are side by side; those of two versions are in different blocks. */
  static final int BLOCK = 100_000;

  /** With {@link #BLOCK} less than 2^48, the bits that {@link java.util.Random} takes of a seed. */
  private static final long BLOCKS = 1_000_000_000;

  private static final String VERSION = "weft.sim.version";
  private static final String VERSION_SEEDS = "weft.sim.version-seeds";
  private static final String ONE = "weft.sim.seed";

  private static String version;

  private final Class<?> test;
  private final String workload;
  private final long first;
  private final int fixed;
  private final int ofVersion;
  private final List<Failed> failed;

  /**
   * A seed that once failed.
   *
   * @param options those that it was run with, as on the command line of {@code ./weft sim}; empty for none
   */
  public record Failed(long seed, List<String> options) {}

  /** What a simulation does with a seed. */
  @FunctionalInterface
  public interface Run {
    void accept(long seed) throws Exception;
  }

  private Seeds(Class<?> test, String workload, long first, int fixed, int ofVersion) {
    this.test = test;
    this.workload = workload;
    this.first = first;
    this.fixed = fixed;
    this.ofVersion = ofVersion;
    failed = failed(test, workload);
  }

  /**
   * Seeds of a simulation.
   *
   * @param workload names it, in lower case; the same name in no other test
   * @param first of the fixed seeds
   * @param fixed how many of them
   * @param ofVersion how many follow from the version, unless a system property says otherwise
   */
  public static Seeds of(Class<?> test, String workload, long first, int fixed, int ofVersion) {
    int wanted = Integer.getInteger(VERSION_SEEDS, ofVersion);
    if (wanted < 0 || wanted > BLOCK) {
      throw new IllegalArgumentException("-D" + VERSION_SEEDS + " is " + wanted + ", must be from 0 to " + BLOCK);
    }
    return new Seeds(test, workload, first, fixed, wanted).print();
  }

  /** Seeds that all count, for a parameter of a test: fixed, once failed, of the version. */
  public LongStream stream() {
    Long one = Long.getLong(ONE);
    return one != null ? LongStream.of(one) : LongStream.concat(LongStream.concat(LongStream.range(first, first + fixed),
        failed.stream().mapToLong(Failed::seed)), LongStream.range(versionFirst(), versionFirst() + ofVersion));
  }

  /** Runs each of them; the first that fails ends it, with the seed and the way to run it again in the message. */
  public void run(Run simulation) {
    stream().forEach(seed -> {
      try {
        simulation.accept(seed);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(workload + " failed with seed " + seed + "; again: " + again(ONE, Long.toString(seed)) + "\n" + e, e);
      }
    });
  }

  /** The seeds that follow from the version begin here. */
  public long versionFirst() {
    return first(version(), workload);
  }

  public int versionCount() {
    return ofVersion;
  }

  /** Those that once failed. */
  public List<Failed> failed() {
    return failed;
  }

  static long first(String version, String workload) {
    return Math.floorMod(SourceVersion.hash(version + "\n" + workload), BLOCKS) * BLOCK;
  }

  private static synchronized String version() {
    if (version == null) {
      String given = System.getProperty(VERSION);
      try {
        version = given != null ? given : SourceVersion.of(root());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while git was asked for the commit", e);
      }
    }
    return version;
  }

  private static Path root() {
    String root = System.getProperty("weft.root");
    return root == null ? Path.of("").toAbsolutePath() : Path.of(root);
  }

  private Seeds print() {
    Long one = Long.getLong(ONE);
    if (one != null) {
      System.out.println("seeds of " + workload + ": " + one + " alone");
      return this;
    }
    System.out.println("seeds of " + workload + ": " + (fixed == 0 ? "none fixed" : first + ".." + (first + fixed - 1)) + ", "
        + failed.size() + " that once failed, "
        + (ofVersion == 0 ? "none of the version" : versionFirst() + ".." + (versionFirst() + ofVersion - 1) + " of version " + version()
        + "; again: " + again(VERSION, version())));
    return this;
  }

  private String again(String property, String value) {
    Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    Path root = root().toAbsolutePath();
    String name = module.startsWith(root) && !module.equals(root) ? root.relativize(module).toString() : "MODULE";
    return "mvn -B -pl " + name + " -am -Dtest=" + test.getSimpleName() + " -Dsurefire.failIfNoSpecifiedTests=false -D" + property + "="
        + value + (Integer.getInteger(VERSION_SEEDS) == null || property.equals(ONE) ? "" : " -D" + VERSION_SEEDS + "=" + ofVersion) + " test";
  }

  /** A line is a seed and, behind it, its options; a comment begins with #. */
  private static List<Failed> failed(Class<?> test, String workload) {
    try (InputStream list = test.getResourceAsStream("/seeds/" + workload + ".txt")) {
      return list == null ? List.of() : parse(workload, new String(list.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Failed> parse(String workload, String list) {
    List<Failed> found = new ArrayList<>();
    for (String line : list.lines().map(text -> text.replaceFirst("#.*", "").strip()).filter(Predicate.not(String::isEmpty)).toList()) {
      List<String> words = List.of(line.split("\\s+"));
      try {
        found.add(new Failed(Long.parseLong(words.getFirst()), words.subList(1, words.size())));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("seeds/" + workload + ".txt: '" + line + "' does not begin with a seed", e);
      }
    }
    return found;
  }
}
