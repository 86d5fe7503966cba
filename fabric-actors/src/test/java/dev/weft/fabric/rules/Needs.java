package dev.weft.fabric.rules;

import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs of the machine. Where it is missing, the test fails with {@code CI=true}, for {@code .ci/run} gets it; elsewhere it is
 * skipped. What no installation and no right brings, because the kernel was built without it, is skipped everywhere, by its name.
 */
public final class Needs {
  private Needs() {}

  /**
   * Goes on if it is there.
   *
   * @param what is missing otherwise, and how to get it
   */
  public static void that(boolean isThere, String what) {
    if (!isThere && isCi()) {
      fail("CI=true, and " + what);
    }
    Assumptions.assumeTrue(isThere, what);
  }

  /** Goes on if a program is on the path; {@code debianPackage} brings it. */
  public static void program(String name, String debianPackage) {
    for (String folder : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(folder, name))) {
        return;
      }
    }
    that(false, name + " is not on the PATH; install it (Debian: apt-get install " + debianPackage + ")");
  }

  /** Goes on if the kernel can; the caller has seen, by a probe, that nothing else is missing. */
  public static void kernel(boolean can, String what) {
    Assumptions.assumeTrue(can, "this kernel has no " + what);
  }

  public static boolean isCi() {
    return "true".equals(System.getenv("CI"));
  }
}
