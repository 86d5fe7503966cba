package dev.weft;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Classes as they are after loading (JEP 350), for the JVMs that tests start: each of these takes half as much processor time to start, and there are
 * hundreds. Made once, by a JVM that runs {@code weft train}. Where the class path has no jars, as in a build that does not package, there is
 * none, and all is as it was.
 */
public final class ClassArchive {
  private static final int PATIENCE_S = 200;
  private static final List<String> OPTIONS = make();

  private ClassArchive() {}

  /** The class path of this JVM with its jars first: an archive is good for a class path that begins as the one that it was made with. */
  public static String classPath() {
    return String.join(File.pathSeparator, Stream.concat(jars().stream(), parts().filter(part -> !isJar(part))).toList());
  }

  /**
   * How the command of a JVM begins that lives for seconds: with this JVM's options for modules and memory access, with the archive if there is
   * one, and without the second compiler, which takes a third of the processor time until a fabric serves. The {@link #classPath} has to follow.
   *
   * @param heapMiB at most
   */
  public static List<String> command(int heapMiB) {
    List<String> command = java();
    command.addAll(OPTIONS);
    command.addAll(List.of("-Xmx" + heapMiB + "m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    return command;
  }

  private static List<String> java() {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("--")).forEach(command::add);
    return command;
  }

  private static Stream<String> parts() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  private static boolean isJar(String part) {
    return part.endsWith(".jar");
  }

  private static List<String> jars() {
    return parts().filter(ClassArchive::isJar).toList();
  }

  private static List<String> make() {
    boolean isPackaged = jars().stream().anyMatch(jar -> Path.of(jar).getFileName().toString().startsWith("launcher-"));
    if (!isPackaged) {
      return List.of();
    }
    try {
      Path archive = Files.createTempDirectory("weft-classes-").resolve("tests.jsa");
      archive.toFile().deleteOnExit();
      archive.getParent().toFile().deleteOnExit();
      Path log = Files.createTempFile("weft-classes-", ".log");
      log.toFile().deleteOnExit();
      List<String> command = java();
      command.addAll(List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:ArchiveClassesAtExit=" + archive, "-cp", String.join(File.pathSeparator, jars()),
          "dev.weft.launcher.Main", "train", "--seconds", "0"));
      Process training = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
      if (!training.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        training.destroyForcibly();
      }
      if (training.isAlive() || training.exitValue() != 0 || !Files.exists(archive)) {
        System.out.println("JVMs of tests start without an archive of classes: " + Files.readString(log));
        return List.of();
      }
      return List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }
}
