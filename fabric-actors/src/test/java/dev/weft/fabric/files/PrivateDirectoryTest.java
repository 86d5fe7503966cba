package dev.weft.fabric.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.memory.CLibrary;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
class PrivateDirectoryTest {
  private static final String REMEDY = "choose another one";

  @TempDir private Path temporary;
  /** Like /dev/shm: everybody makes files in it, and renames only his own. */
  private Path shared;

  @BeforeEach
  void share() throws Exception {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    shared = Files.createDirectory(temporary.resolve("shared"));
    Files.setAttribute(shared, "unix:mode", 01777);
  }

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static String refusal(Path directory) {
    return assertThrows(IOException.class, () -> PrivateDirectory.create(directory, REMEDY)).getMessage();
  }

  private static int umask(int mask) throws Throwable {
    return (int) CLibrary.find("umask", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)).invokeExact(mask);
  }

  @Test
  void shouldBeClosedWhateverTheUmaskIs() throws Throwable {
    for (int mask : new int[] {0, 022, 0277}) {
      Path made = shared.resolve("made-" + mask);
      int former = umask(mask);
      try {
        PrivateDirectory.create(made.resolve("below"), REMEDY);
        PrivateFile.makeEmpty(made.resolve("file"));
      } finally {
        umask(former);
      }
      assertEquals("rwx------", rights(made));
      assertEquals("rwx------", rights(made.resolve("below")));
      assertEquals("rw-------", rights(made.resolve("file")));
      PrivateDirectory.create(made, REMEDY);
    }
  }

  @Test
  void shouldRefuseWhatAnotherUserHasMadeFirst() throws Exception {
    OtherUser.assumeAvailable();
    Path foreign = shared.resolve("foreign");
    OtherUser.makeDirectory(foreign);
    String text = refusal(foreign);
    assertTrue(text.contains("belongs to nobody") && text.endsWith(REMEDY), text);
    assertEquals(0, OtherUser.run("ln", "-s", temporary.toString(), shared.resolve("link").toString()));
    assertTrue(refusal(shared.resolve("link")).contains("not a directory"));
  }

  @Test
  void shouldRefuseOneThatOthersCanOpenOrReplace() throws Exception {
    Path open = Files.createDirectory(shared.resolve("open"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    assertTrue(refusal(open).contains("is open to other users (mode 755); 'chmod 700 "), refusal(open));
    PrivateDirectory.createOrUse(open, REMEDY); // For what closes its own files.
    Files.setAttribute(open, "unix:mode", 0777);
    assertTrue(assertThrows(IOException.class, () -> PrivateDirectory.createOrUse(open, REMEDY)).getMessage().contains("can be written by others"));
    assertTrue(refusal(open.resolve("below")).contains("has no sticky bit"));
    Path file = Files.createFile(shared.resolve("file"));
    assertTrue(refusal(file).contains("not a directory"));
  }

  @Test
  void shouldNotFollowALinkInPlaceOfAFile() throws Exception {
    Path victim = Files.writeString(temporary.resolve("victim"), "kept");
    Path link = Files.createSymbolicLink(temporary.resolve("link"), victim);
    assertThrows(IOException.class, () -> PrivateFile.open(link, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
    assertEquals("kept", Files.readString(victim));
  }
}
