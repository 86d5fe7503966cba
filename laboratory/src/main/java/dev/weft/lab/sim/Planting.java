package dev.weft.lab.sim;

import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.PlantedLoader;
import dev.weft.lab.kit.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** Runs {@code weft sim} in a copy of Weft's classes with one planted bug. */
final class Planting {
  private static final List<String> COPIED = List.of("dev.weft.");
  /** Depth of the test jars: folder of the module, target, jar. */
  private static final int DEPTH_OF_JARS = 3;

  private Planting() {}

  /** All bugs that can be planted for a workload. */
  static List<PlantedBug> bugs(Workload<?> workload) {
    return Stream.concat(workload.plantedBugs().stream(), workload.rareBugs().stream()).toList();
  }

  /**
   * Returns the bug with this name.
   *
   * @throws IllegalArgumentException if there is none; says how to list the names
   */
  static PlantedBug bug(Workload<?> workload, String name) {
    return bugs(workload).stream().filter(bug -> bug.name().equals(name)).findFirst().orElseThrow(() -> new IllegalArgumentException(
        "the workload " + workload.name() + " has no planted bug '" + name + "'; see ./weft sim --list --workload " + workload.name()));
  }

  /**
   * Runs the command with a bug.
   *
   * @param arguments arguments of the command, without its name
   * @param out output of the command
   * @param err errors of the command
   * @return its exit code
   * @throws IllegalArgumentException if the classes with the bugs are missing: they are in the test jars of a checkout
   */
  static int run(PlantedBug bug, List<String> arguments, PrintWriter out, PrintWriter err) {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader jars = new URLClassLoader(testJars(), Planting.class.getClassLoader())) {
      checkPresent(bug, jars);
      PlantedLoader copy = new PlantedLoader(COPIED, bug.plants(), jars);
      Thread.currentThread().setContextClassLoader(copy); // Workloads are found through it.
      return copy.<BiFunction<List<String>, List<PrintWriter>, Integer>>create(PlantedSim.class).apply(arguments, List.of(out, err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static void checkPresent(PlantedBug bug, ClassLoader jars) {
    String target = bug.plants().strip().split(" +")[0];
    String bugs = target.substring(0, target.lastIndexOf('.')).replace('.', '/') + "/PlantedBugs.class";
    if (jars.getResource(bugs) == null) {
      throw new IllegalArgumentException("planted bugs are in the test jars of a checkout, and there is no " + bugs + "; run ./weft in a checkout");
    }
  }

  /** The test jars of the checkout that this program was built from; none in an installation. */
  private static URL[] testJars() throws IOException {
    String root = System.getProperty("weft.root");
    if (root == null) {
      return new URL[0];
    }
    try (Stream<Path> files = Files.find(Path.of(root), DEPTH_OF_JARS, (path, attributes) -> path.getFileName().toString().endsWith("-tests.jar"))) {
      List<URL> jars = new ArrayList<>();
      for (Path jar : files.toList()) {
        jars.add(jar.toUri().toURL());
      }
      return jars.toArray(URL[]::new);
    }
  }
}
