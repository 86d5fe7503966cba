package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Network namespaces, which are as near to several hosts as one machine gets: for root, with {@code ip}. */
final class Namespaces {
  private static final int PATIENCE_S = 90;

  private Namespaces() {}

  /** What a command of the system answered. */
  record Ran(int exitCode, String output) {}

  static Ran system(String command) throws IOException, InterruptedException {
    List<String> words = List.of(command.split(" "));
    Process process;
    try {
      process = new ProcessBuilder(words).redirectErrorStream(true).start();
    } catch (IOException e) {
      return new Ran(127, words.getFirst() + " is not installed");
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), command);
    return new Ran(process.exitValue(), output.strip());
  }

  /** Makes them and what is between them; skips the test, or fails on CI, where this user may not. */
  static void make(List<String> commands) throws IOException, InterruptedException {
    for (String command : commands) {
      Ran ran = system(command);
      Needs.that(ran.exitCode() == 0, "there are no network namespaces: '" + command + "' said: " + ran.output() + "; run the tests as root");
    }
  }

  /** Words before a command that is to run in one. Mounts that the command makes are seen outside, which {@code ip netns exec} would prevent. */
  static List<String> in(String namespace) {
    return new ArrayList<>(List.of("nsenter", "--net=/run/netns/" + namespace));
  }
}
