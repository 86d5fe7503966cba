package dev.weft.pvfs.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of this host that a copy reads and writes. */
class LocalCopyTest {
  @TempDir private Path directory;

  @Test
  void shouldKeepThePermissionsOfTheSource() throws Exception {
    Path from = Files.writeString(directory.resolve("from"), "secret");
    Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("rwx------"));
    assertEquals(0700, LocalFile.named(from.toString()).mode());
    Path to = directory.resolve("to");
    try (LocalTarget target = new LocalTarget(LocalFile.named(to.toString()))) {
      target.write(ByteBuffer.wrap(new byte[5]));
      target.finish(04600);
    }
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(to)));
    try (LocalTarget target = new LocalTarget(LocalFile.named(to.toString()))) {
      target.finish(0644);
    }
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(to)), "a file that is replaced keeps its permissions");
    assertEquals(0, Files.size(to));
  }

  @Test
  void shouldSayHowToEndAMountWhoseFabricHasEnded() {
    String text = PvfsMountCommand.lost(Path.of("/mnt/a"), "it has ended");
    assertTrue(text.contains("'weft pvfs umount /mnt/a' or 'fusermount3 -u /mnt/a'"), text);
  }
}
