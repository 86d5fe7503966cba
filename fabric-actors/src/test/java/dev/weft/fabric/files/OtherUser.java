package dev.weft.fabric.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Somebody else on this machine: user nobody. Needs root, which CI has to be. */
public final class OtherUser {
  private OtherUser() {}

  /** Ends a test that cannot be made here; with {@code CI=true} it fails. */
  public static void assumeAvailable() throws Exception {
    Needs.that(OwnUser.id() == 0 && run("true") == 0, "only root can act as another user, by setpriv(1)");
  }

  /** Exit code of what nobody does. */
  public static int run(String... command) throws Exception {
    List<String> all = new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    all.addAll(List.of(command));
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(90, TimeUnit.SECONDS), said);
    return process.exitValue();
  }

  /** Makes a directory in which everybody may do everything. */
  public static void makeDirectory(Path directory) throws Exception {
    assertEquals(0, run("mkdir", "-m", "1777", directory.toString()));
  }
}
