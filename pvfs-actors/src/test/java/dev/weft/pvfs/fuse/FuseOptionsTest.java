package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Options that cannot be are refused with what would be right, and paths of the mount table are read as the kernel writes them. */
class FuseOptionsTest {
  private static void refuses(Executable setting, String says) {
    String message = assertThrows(IllegalArgumentException.class, setting).getMessage();
    assertTrue(message.contains(says), message);
  }

  private static FuseOptions options() {
    return FuseOptions.named("x");
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    refuses(() -> FuseOptions.named("a,allow_other"), "letters, digits and hyphens");
    refuses(() -> options().threads(0), "1 to 64");
    refuses(() -> options().transfer(5000), "multiple of 4096");
    refuses(() -> options().transfer(2 << 20), "4096 to 1048576");
    refuses(() -> options().cache(CacheMode.NONE).writesBack(true).check(), "FULL");
    refuses(() -> options().threads(8).inFlight(15).check(), "16 requests in flight");
  }

  @Test
  void shouldReadPathsOfTheMountTable() {
    assertEquals("/a b\\c\td\ne", MountTable.unescape("/a\\040b\\134c\\011d\\012e"));
    assertEquals("/plain", MountTable.unescape("/plain"));
  }

  @Test
  void shouldFindAMountAmongOthersOfAnyName() {
    String table = "21 1 0:20 / /tmp/M\u00fcller\r30 1 0:9 / /tmp/a rw - tmpfs none rw\n22 1 0:21 / /tmp/a\rb rw\n23 1 0:22 / /tmp/\u00ff rw\n";
    byte[] bytes = table.getBytes(StandardCharsets.ISO_8859_1); // 0xfc and 0xff are not UTF-8.
    assertNull(MountTable.at(Path.of("/tmp/a"), bytes));
    assertEquals("0:21", MountTable.at(Path.of("/tmp/a\rb"), bytes).device());
    assertNull(MountTable.at(Path.of("/tmp/b"), bytes));
  }

  @Test
  void shouldTellTheTypeOfAMount() {
    String table = "21 1 0:20 / /a rw - tmpfs none rw\n22 1 0:21 / /b rw shared:1 master:2 - fuse.pvfs pvfs rw\n23 1 0:22 / /c rw\n";
    byte[] bytes = table.getBytes(StandardCharsets.ISO_8859_1);
    assertEquals("tmpfs", MountTable.at(Path.of("/a"), bytes).type());
    assertEquals("fuse.pvfs", MountTable.at(Path.of("/b"), bytes).type());
    assertEquals("", MountTable.at(Path.of("/c"), bytes).type());
  }

  @Test
  void shouldRememberNothingWithoutACacheWhateverAnAnswerSays() {
    CachePolicy none = new CachePolicy(CacheMode.NONE, 5, 6);
    assertEquals(0, none.entryValid(100) + none.attributesValid(-1));
    CachePolicy full = new CachePolicy(CacheMode.FULL, 5, 6);
    assertEquals(5, full.entryValid(-1));
    assertEquals(7, full.attributesValid(7));
  }
}
