package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A fabric on one host, and a JVM of another host that joins it: what both kinds of test of that do. */
final class TwoHosts implements AutoCloseable {
  static final long JOINED_BYTES = 8L << 20;

  private final WeftProcess here;
  private final WeftProcess there;
  private final Path directory;
  private Process joined;

  /** @param directory for the block device's socket, which both network namespaces see */
  TwoHosts(WeftProcess here, WeftProcess there, Path directory) {
    this.here = here;
    this.there = there;
    this.directory = directory;
  }

  static void needQemuIo() {
    Needs.program("qemu-io", "qemu-utils");
  }

  WeftProcess here() {
    return here;
  }

  WeftProcess there() {
    return there;
  }

  /** Starts the fabric at {@code address} and returns what it said. */
  String up(String address, String... more) throws Exception {
    List<String> words = new ArrayList<>(List.of("up", "--servers=1", "--memory=8M", "--bind=" + address,
        "--nbd=unix:" + directory.resolve("weft.sock"), "--http=127.0.0.1:0", "--detach"));
    words.addAll(List.of(more));
    WeftProcess.Answer answer = here.run(words.toArray(String[]::new));
    assertEquals(0, answer.exitCode(), answer.err() + answer.out() + here.logs());
    return answer.out();
  }

  /** Joins from {@code address}; returns the URI of the export when it is served. */
  String join(String address, String... more) throws Exception {
    List<String> words = new ArrayList<>(List.of("join", here.address(), "--memory=" + JOINED_BYTES, "--bind=" + address));
    words.addAll(List.of(more));
    joined = there.start(words.toArray(String[]::new));
    JsonNode status = here.awaitJson("an export of the JVM that joined", json -> {
      assertTrue(joined.isAlive(), there::logsOrReason);
      return !exports(json).isEmpty();
    });
    String export = exports(status).getFirst();
    assertTrue(export.startsWith("joined-" + address + "-"), export);
    return here.nbd().replace("nbd+unix:///", "nbd+unix:///" + export);
  }

  private static List<String> exports(JsonNode status) {
    return status.findValues("exports").stream().flatMap(JsonNode::valueStream).map(export -> export.path("name").asText())
        .filter(name -> name.startsWith("joined-")).toList();
  }

  /** A JVM without a secret, and one with another, are told what would be right, and the fabric goes on. */
  void refusesWhoDoesNotKnowTheSecret(String address, Path secret) throws Exception {
    Path another = directory.resolve("another-secret");
    Files.writeString(another, "f".repeat(64) + "\n");
    Files.setPosixFilePermissions(another, PosixFilePermissions.fromString("rw-------"));
    String[] join = {"join", here.address(), "--memory=1M", "--bind=" + address};
    WeftProcess.Answer without = there.run(join);
    assertEquals(1, without.exitCode(), without.out() + without.err());
    assertTrue(without.err().contains("admits only JVMs that have its secret") && without.err().contains("--secret-file"), without.err());
    WeftProcess.Answer wrong = there.run(join[0], join[1], join[2], join[3], "--secret-file=" + another);
    assertEquals(1, wrong.exitCode(), wrong.out() + wrong.err());
    assertTrue(wrong.err().contains("has another secret than " + another), wrong.err());
    here.awaitJson("no other JVM than those of the fabric", status -> status.path("jvms").size() == 1 + memberCount());
    assertSecretIsKept(Files.readString(secret).strip(), without.err() + wrong.err());
  }

  private int memberCount() {
    try {
      return here.pids("MEMBER").size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It is in no log, on no command line and in nothing that HTTP shows. */
  private void assertSecretIsKept(String secret, String said) throws Exception {
    assertFalse(said.contains(secret) || here.logs().contains(secret) || there.logs().contains(secret), "logged");
    assertFalse(here.run("status", "--json").out().contains(secret), "shown by HTTP");
    List<Long> pids = new ArrayList<>(here.pids("UP"));
    pids.addAll(here.pids("MEMBER"));
    for (long pid : pids) {
      assertFalse(Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")).contains(secret), "shown by ps");
      assertFalse(Files.readString(Path.of("/proc", Long.toString(pid), "environ")).contains(secret), "in the environment");
    }
  }

  /** Writes all of the joined JVM's memory, twice, and reads it back. */
  void writeAndRead(String uri) throws Exception {
    for (int pattern : new int[] {0x31, 0x5a}) {
      qemuIo(uri, "write -P " + pattern + " 0 " + JOINED_BYTES);
      qemuIo(uri, "read -P " + pattern + " 0 " + JOINED_BYTES);
    }
    qemuIo(uri, "write -P 0x77 4k 4k");
    qemuIo(uri, "read -P 0x5a 0 4k");
    qemuIo(uri, "read -P 0x77 4k 4k");
    qemuIo(uri, "read -P 0x5a 8k 1M");
  }

  private void qemuIo(String uri, String command) throws Exception {
    Path out = directory.resolve("qemu-io.out");
    Process process = new ProcessBuilder("qemu-io", "-f", "raw", "-c", command, uri).redirectErrorStream(true)
        .redirectOutput(out.toFile()).start();
    Waits.until("qemu-io '" + command + "' to end", () -> !process.isAlive(), () -> here.logs() + there.logs());
    String said = Files.readString(out);
    assertTrue(process.exitValue() == 0 && !said.contains("failed") && !said.contains("error"), command + ": " + said + there.logs());
  }

  /** {@code weft status} on the fabric's host shows both members, and on the other host at least its own JVM. */
  void bothAreShown(String hereAddress, String thereAddress) throws Exception {
    here.awaitStatus("both members up", status -> status.exitCode() == 0 && isUp(status, hereAddress) && isUp(status, thereAddress));
    String address = here.address();
    there.awaitStatus("the JVM that joined on its host",
        status -> status.exitCode() == 0 && status.out().contains(address) && status.out().contains("joined-" + thereAddress));
  }

  private static boolean isUp(WeftProcess.Answer status, String address) {
    return status.out().lines().anyMatch(line -> line.matches("\\s+" + address.replace(".", "\\.") + ":[0-9]+\\s+Up\\s.*"));
  }

  /** {@code weft down} on the fabric's host; the JVM that had joined says so and ends, and leaves nothing behind. */
  void downEndsBoth() throws Exception {
    WeftProcess.Answer down = here.run("down");
    assertEquals(0, down.exitCode(), down.err());
    Waits.until("the JVM that joined to end with its fabric", () -> !joined.isAlive(), there::logs);
    assertTrue(there.logs().contains("has ended"), there.logs());
    assertEquals(0, joined.exitValue(), there.logs());
    Waits.until("its media driver to end, too", () -> Files.notExists(there.driverDirectory().resolve("cnc.dat")), there::logs);
  }

  @Override
  public void close() throws IOException {
    try {
      if (joined != null) {
        joined.destroy();
        if (!joined.waitFor(Waits.PATIENCE_S, TimeUnit.SECONDS)) {
          joined.destroyForcibly();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      there.close();
      here.close();
    }
  }
}
