package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.Signals;
import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weft capture} of both JVMs of a fabric while a real client writes to the block device and reads it, and what tshark sees. */
@Timeout(600)
@Tag("client")
class CaptureBetweenJvmsTest {
  private static final List<String> READ_RESPONSES = List.of("13", "14", "15", "16");

  private static WeftProcess weft;
  private static String first;
  private static String second;
  @TempDir private static Path directory;

  @BeforeAll
  static void start() throws Exception {
    Needs.program("tshark", "tshark");
    Needs.program("qemu-io", "qemu-utils");
    weft = new WeftProcess();
    WeftProcess.Answer answer = weft.run("up", "--jvms=2", "--servers=1", "--memory=8M", "--nbd=unix:" + directory.resolve("weft.sock"),
        "--http=127.0.0.1:0", "--detach");
    assertEquals(0, answer.exitCode(), answer.err() + answer.out() + weft.logs());
    first = weft.address();
    weft.awaitMembers(1);
    second = weft.addresses("MEMBER").getFirst();
  }

  @AfterAll
  static void stop() throws Exception {
    if (weft != null) {
      weft.close();
    }
  }

  private static boolean isCaptured(String jvm) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(weft.http(jvm) + "/weft/capture"))
          .header("Weft-Capture-Key", weft.captureKey(jvm)).HEAD().build();
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 409;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(jvm + " does not answer", e);
    }
  }

  private static String run(String... command) throws Exception {
    Path out = directory.resolve(command[0] + ".out");
    Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(directory.resolve("err").toFile()).start();
    Waits.until(command[0] + " to end", () -> !process.isAlive(), () -> Files.readString(out) + Files.readString(directory.resolve("err")));
    String said = Files.readString(out);
    assertEquals(0, process.exitValue(), said + Files.readString(directory.resolve("err")));
    return said;
  }

  private static void writeAndRead() throws Exception {
    for (String command : new String[] {"write -P 0x31 0 1M", "read -P 0x31 0 1M"}) {
      String said = run("qemu-io", "-f", "raw", "-c", command, weft.nbd());
      assertTrue(!said.contains("failed") && !said.contains("error"), said);
    }
  }

  /** Interface, direction and opcode of each packet. */
  private static List<String[]> packets(Path file) throws Exception {
    return run("tshark", "-n", "-r", file.toString(), "-T", "fields", "-E", "occurrence=f", "-e", "frame.interface_name", "-e",
        "frame.packet_flags_direction", "-e", "infiniband.bth.opcode", "-e", "infiniband.invariant.crc").lines()
        .map(line -> line.split("\t", -1)).toList();
  }

  private static long count(List<String[]> packets, String jvm, int direction) {
    return packets.stream().filter(packet -> packet[0].equals(jvm) && Integer.decode(packet[1]) == direction).count();
  }

  @Test
  void shouldShowTsharkThePacketsOfBothJvmsWhileAClientWritesAndReads() throws Exception {
    Path file = directory.resolve("both.pcapng");
    Process capture = weft.startAtTerminal("capture", "--jvm", first, "--jvm", second, file.toString());
    try {
      Waits.until("the file", () -> {
        assertTrue(capture.isAlive());
        return file.toFile().length() > 0;
      });
      WeftProcess.Answer another = weft.run("capture", "--jvm", first, directory.resolve("no.pcapng").toString());
      assertEquals(1, another.exitCode(), another.err());
      assertTrue(another.err().contains("another capture runs at " + first + "; one capture of a JVM at a time"), another.err());
      writeAndRead();
      Waits.until("two MiB of packets", () -> file.toFile().length() > 2 << 20, weft::logs);
      awaitQuiet(file);
    } finally {
      Signals.send("INT", capture.pid());
    }
    Waits.until("Ctrl-C to end it", () -> !capture.isAlive(), weft::logs);
    assertEquals(130, capture.exitValue(), weft.logs());
    List<String[]> packets = packets(file);
    assertTrue(weft.logs().contains("weft: " + packets.size() + " packets in " + file), weft.logs());
    assertTrue(packets.stream().allMatch(packet -> !packet[2].isEmpty() && !packet[3].isEmpty()), "all are RoCEv2");
    assertTrue(packets.stream().anyMatch(packet -> READ_RESPONSES.contains(packet[2])), "the server reads what is written");
    for (String jvm : new String[] {first, second}) {
      assertTrue(count(packets, jvm, 1) > 10 && count(packets, jvm, 2) > 10, jvm);
    }
    assertEquals(packets.size(), count(packets, first, 1) + count(packets, first, 2) + count(packets, second, 1) + count(packets, second, 2));
    assertTrue(Math.abs(count(packets, first, 2) - count(packets, second, 1)) <= 8, "what one sends the other gets, but at the end: "
        + count(packets, first, 2) + " sent, " + count(packets, second, 1) + " received; " + weft.logs());
  }

  /** Nothing has come for a while: both have written what one sends and the other gets. */
  private static void awaitQuiet(Path file) throws Exception {
    long[] last = {-1, 0};
    Waits.until("no more packets", () -> {
      long length = file.toFile().length();
      if (length != last[0]) {
        last[0] = length;
        last[1] = System.nanoTime();
      }
      return System.nanoTime() - last[1] > 3_000_000_000L;
    });
  }

  @Test
  void shouldGoOnWithTheOthersWhenAJvmDiesAndSayWhich() throws Exception {
    Path file = directory.resolve("died.pcapng");
    Process joined = weft.start("join", first, "--memory=8M");
    Waits.until("the third JVM", () -> {
      assertTrue(joined.isAlive());
      return !joinedAddresses().isEmpty();
    });
    String third = joinedAddresses().getFirst();
    Process capture = weft.startAtTerminal("capture", "--jvm", first, "--jvm", third, file.toString());
    Waits.until("the capture", () -> isCaptured(third) && file.toFile().length() > 0, weft::logs);
    joined.destroyForcibly().waitFor();
    writeAndRead();
    Waits.until("packets after its death", () -> file.toFile().length() > 1 << 20, weft::logs);
    assertTrue(capture.isAlive(), weft.logs());
    Signals.send("INT", capture.pid());
    Waits.until("Ctrl-C to end it", () -> !capture.isAlive(), weft::logs);
    assertTrue(weft.logs().contains("weft: the capture of " + third + ": "), weft.logs());
    assertTrue(count(packets(file), first, 1) > 10);
  }

  private static List<String> joinedAddresses() {
    try {
      return weft.addresses("JOIN");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldStreamToStandardOutputAndGiveTheJvmBack() throws Exception {
    Path seen = directory.resolve("seen");
    List<Process> pipe = ProcessBuilder.startPipeline(List.of(
        weft.builder("capture", "--jvm", second, "--packets", "20", "-").redirectError(directory.resolve("capture.err").toFile()),
        new ProcessBuilder("tshark", "-n", "-r", "-").redirectError(directory.resolve("tshark.err").toFile()).redirectOutput(seen.toFile())));
    Waits.until("the capture", () -> isCaptured(second), weft::logs);
    writeAndRead();
    for (Process process : pipe) {
      Waits.until(process.info().command() + " to end after 20 packets", () -> !process.isAlive(), weft::logs);
      assertEquals(0, process.exitValue());
    }
    assertEquals(20, Files.readAllLines(seen).stream().filter(line -> line.contains("RRoCE")).count(), Files.readString(seen));
    assertTrue(Files.readString(directory.resolve("capture.err")).contains("weft: 20 packets in standard output"));
    Process killed = weft.start("capture", "--jvm", second, directory.resolve("killed.pcapng").toString());
    Waits.until("another capture", () -> directory.resolve("killed.pcapng").toFile().length() > 0, weft::logs);
    killed.destroyForcibly();
    Waits.until("the end of a capture whose client was killed", () -> !isCaptured(second), weft::logs);
    pipe = ProcessBuilder.startPipeline(List.of(
        weft.builder("capture", "--jvm", second, "-").redirectError(directory.resolve("gone.err").toFile()),
        new ProcessBuilder("head", "-c", "1").redirectOutput(ProcessBuilder.Redirect.DISCARD)));
    Process unread = pipe.getFirst();
    Waits.until("the end of a capture that nobody reads any more, also without packets", () -> !unread.isAlive(), weft::logs);
    assertEquals("weft: ended: the reader of standard output has closed it", Files.readString(directory.resolve("gone.err")).strip());
    assertEquals(0, pipe.getFirst().exitValue());
    WeftProcess.Answer sent = weft.run("capture", "--jvm", second, "--sent", "--duration", "1", directory.resolve("third.pcapng").toString());
    assertEquals(0, sent.exitCode(), sent.err());
  }
}
