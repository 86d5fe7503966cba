package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients get at the daemons, which have the manager's key. */
@Tag("actor")
@Timeout(180)
class CapabilitiesTest {
  private final FileSystemCluster cluster = new FileSystemCluster(2, "weft.pvfs.manager.capability = 1 s");
  private final PvfsFileSystem files = cluster.connect(Caller.ROOT);
  private final PvfsFileSystem others = cluster.connect(new Caller(1000, 1000, List.of()));

  @AfterEach
  void close() {
    cluster.close();
  }

  private static MemorySegment text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Arena.ofAuto().allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  @Test
  void shouldGiveNothingOfAFileToAClientThatTheManagerHasRefused() throws Exception {
    PvfsFile secret = files.open("/secret", StripingWish.NONE, 0600, CREATE_NEW, READ, WRITE);
    secret.write(text("secret"), 0);
    assertEquals(Errno.EACCES, assertThrows(PvfsException.class, () -> others.open("/secret")).errno());
    long inode = secret.inode();
    Striping striping = secret.striping();
    MemorySegment memory = Arena.ofAuto().allocate(6);
    assertEquals(Errno.EACCES, others.data().read(inode, striping, 0, memory).errno());
    assertEquals(0, memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0));
    assertEquals(Errno.EACCES, others.data().write(inode, striping, 0, memory).errno());
    assertEquals(Errno.EACCES, others.data().truncate(inode, striping, 0).errno());
    assertEquals(Errno.EACCES, others.data().remove(inode, striping).errno());
    assertEquals(Errno.EACCES, files.data().remove(inode, striping).errno(), "only the manager removes");
    assertEquals(6, secret.read(memory, 0));
  }

  @Test
  void shouldLetAReaderOnlyReadAndNobodyAnythingBehindTheClose() throws Exception {
    PvfsFile file = files.open("/file", StripingWish.NONE, 0644, CREATE_NEW, WRITE);
    file.write(text("text"), 0);
    PvfsFile reader = others.open("/file");
    MemorySegment memory = Arena.ofAuto().allocate(4);
    assertEquals(4, reader.read(memory, 0));
    assertEquals(Errno.EACCES, others.data().write(file.inode(), file.striping(), 0, memory).errno());
    file.close();
    assertEquals(Errno.EACCES, files.data().write(file.inode(), file.striping(), 0, memory).errno());
    assertEquals(4, reader.read(memory, 0));
    assertEquals(4, files.data().stat(file.inode(), file.striping()).fileBytes(), "lengths are no secret");
  }

  @Test
  void shouldGoOnWithANewOneWhenOneHasExpired() throws Exception {
    PvfsFile file = files.open("/file", StripingWish.NONE, 0644, CREATE_NEW, READ, WRITE);
    file.write(text("text"), 0);
    Thread.sleep(1_200);
    file.write(text("more"), 4);
    assertEquals(8, file.read(Arena.ofAuto().allocate(100), 0));
    Thread.sleep(1_200);
    assertEquals(8, file.read(Arena.ofAuto().allocate(100), 0));
  }
}
