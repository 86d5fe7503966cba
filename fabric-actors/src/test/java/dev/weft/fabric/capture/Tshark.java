package dev.weft.fabric.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The judge of captures. Missing, it fails the build on CI and skips the test elsewhere. */
final class Tshark {
  private static final int TIMEOUT_SECONDS = 25;
  /** Upper layers that tshark guesses from the payload; RPC over RDMA takes almost any bytes for its own. */
  private static final List<String> GUESSES = List.of("rpcordma", "smb_direct", "smc", "nvme-rdma", "lnet", "iser",
      "infiniband.eoib", "infiniband_sdp", "fcoib");

  private Tshark() {}

  static void assumeInstalled() {
    for (String dir : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(dir, "tshark"))) {
        return;
      }
    }
    String message = "tshark is not on the PATH; install it (Debian: apt-get install tshark) to check captures";
    if ("true".equals(System.getenv("CI"))) {
      fail(message);
    }
    Assumptions.abort(message);
  }

  /** One line per frame, the first value of each field, separated by tabs. */
  static List<String> fields(Path file, Path dir, List<String> fields) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("-T", "fields", "-E", "occurrence=f"));
    for (String field : fields) {
      command.add("-e");
      command.add(field);
    }
    return run(file, dir, command);
  }

  /** Lines that tshark prints for {@code file}; IPv4 checksums are verified, the payload is not guessed at. */
  static List<String> run(Path file, Path dir, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(),
        "-o", "ip.check_checksum:TRUE", "--disable-heuristic", "eth_over_ib"));
    for (String guess : GUESSES) {
      command.add("--disable-protocol");
      command.add(guess);
    }
    command.addAll(arguments);
    Path out = dir.resolve("tshark.out");
    Path err = dir.resolve("tshark.err");
    Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      assertTrue(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS), "tshark took over " + TIMEOUT_SECONDS + " s");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), () -> command + " said " + read(err));
    return Files.readAllLines(out);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
