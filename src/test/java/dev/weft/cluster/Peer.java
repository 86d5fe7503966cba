package dev.weft.cluster;

import dev.weft.ClassArchive;
import dev.weft.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A {@link PeerMain}, or another program with the same arguments, in a process of its own. */
final class Peer implements AutoCloseable {
  /** Names the JVM that a peer ends with, whatever it waits for. */
  static final String PARENT = "WEFT_TEST_PARENT";
  private static final int HEAP_MIB = 128;
  private static final int PATIENCE_S = 200;
  private static final long LOOK_NS = 5_000_000;

  private final Process process;
  private final BufferedReader out;

  private Peer(Process process, BufferedReader out) {
    this.process = process;
    this.out = out;
  }

  /** Starts a program, which says {@code ready} and ends with its standard input, and waits until it is ready. */
  static Peer start(Class<?> main, Path driver, String seed, String node) throws IOException {
    List<String> command = new ArrayList<>(ClassArchive.command(HEAP_MIB));
    command.addAll(List.of("-cp", ClassArchive.classPath(), main.getName(), driver.toString(), seed, node));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(PARENT, Long.toString(ProcessHandle.current().pid()));
    Process process = builder.start();
    Peer peer = new Peer(process, new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
    peer.expect("ready");
    return peer;
  }

  /** Sends a line to its standard input. */
  void say(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** Reads what it prints until that line comes. */
  void expect(String expected) throws IOException {
    expect(expected, expected::equals);
  }

  /** The same for a line that begins so; returns the rest of it. */
  String expectRest(String beginning) throws IOException {
    return expect(beginning, line -> line.startsWith(beginning)).substring(beginning.length());
  }

  /** The next line that begins as one of these. */
  String expectOneOf(String... beginnings) throws IOException {
    return expect(String.join("' or '", beginnings), line -> Stream.of(beginnings).anyMatch(line::startsWith));
  }

  private String expect(String what, Predicate<String> isExpected) throws IOException {
    List<String> said = new ArrayList<>();
    for (String line = nextLine(what, said); line != null; line = nextLine(what, said)) {
      if (isExpected.test(line)) {
        return line;
      }
      said.add(line);
    }
    throw new IOException("pid " + process.pid() + " ended before it said '" + what + "', but it said " + said);
  }

  /** Null if it has ended. A read of a pipe would not end with the time limit of a test. */
  private String nextLine(String what, List<String> said) throws IOException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (!out.ready() && process.isAlive()) {
      if (System.nanoTime() - endNs >= 0) {
        throw new IOException("pid " + process.pid() + " has not said '" + what + "' within " + PATIENCE_S + " s, but it said " + said);
      }
      LockSupport.parkNanos(LOOK_NS);
    }
    return out.readLine();
  }

  void kill() {
    process.destroyForcibly();
  }

  void pause() throws IOException, InterruptedException {
    Signals.send("STOP", process.pid());
  }

  void resume() throws IOException, InterruptedException {
    Signals.send("CONT", process.pid());
  }

  /** Begins a pause of that length. */
  Process pauseFor(int ms) throws IOException {
    return Signals.pause(process.pid(), ms);
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(15, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
