package dev.weft.pvfs.service;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.service.CommandFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(120)
class CopiesTest {
  private FileSystemCluster cluster;
  private PvfsFileSystem files;
  private Copies copies;

  @BeforeEach
  void start() throws Exception {
    cluster = new FileSystemCluster(2, "");
    files = cluster.connect(Caller.ROOT);
    copies = new Copies(files, 1);
  }

  @AfterEach
  void end() throws Exception {
    cluster.close();
  }

  private static ReadableByteChannel channel(byte[] bytes) {
    return Channels.newChannel(new ByteArrayInputStream(bytes));
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  private byte[] content(String path) throws IOException {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    copies.get(path, Channels.newChannel(to), LocalIdentity.NONE);
    return to.toByteArray();
  }

  private void make(String path, String text) throws IOException {
    try (PvfsFile file = files.open(path, CREATE, WRITE)) {
      file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    }
  }

  @Test
  void shouldReplaceAFileAndKeepWhatIsKnownOfIt() throws Exception {
    byte[] data = bytes(20_000_000);
    copies.put(channel(data), "/f", new StripingWish(1, 1, 5000), 0644, LocalIdentity.NONE);
    assertArrayEquals(data, content("/f"));
    FileAttributes old = files.attributes("/f");
    files.metadata().setXattr(old.inode(), "user.a", new byte[] {7});
    files.metadata().setOwner(old.inode(), 4_294_967_294L, 5);
    files.metadata().setMode(old.inode(), 04750);
    files.symlink("f", "/link");
    copies.put(channel(bytes(10)), "/link", StripingWish.NONE, 0644, LocalIdentity.NONE);
    FileAttributes made = files.attributes("/f", false);
    assertArrayEquals(bytes(10), content("/f"));
    assertEquals("104750 -2 5", Integer.toOctalString(made.mode()) + " " + made.uid() + " " + made.gid());
    assertArrayEquals(new byte[] {7}, files.metadata().xattr(made.inode(), "user.a"));
    assertEquals(old.striping(), made.striping());
    assertTrue(files.attributes("/link", false).isSymlink());
    copies.put(channel(new byte[0]), "/f", StripingWish.NONE, 0644, LocalIdentity.NONE);
    assertEquals(0, files.size("/f"));
  }

  @Test
  void shouldGiveANewFileThePermissionsOfTheSource() throws Exception {
    copies.put(channel(bytes(5)), "/secret", StripingWish.NONE, 0600, LocalIdentity.NONE);
    assertEquals("100600", Integer.toOctalString(files.attributes("/secret").mode()));
    assertEquals(0600, copies.get("/secret", Channels.newChannel(new ByteArrayOutputStream()), LocalIdentity.NONE));
    copies.put(channel(bytes(6)), "/secret", StripingWish.NONE, 0644, LocalIdentity.NONE);
    assertEquals("100600", Integer.toOctalString(files.attributes("/secret").mode()), "a file that is replaced keeps its permissions");
  }

  @Test
  void shouldLeaveTheTargetAsItWasWhereTheSourceFails() throws Exception {
    make("/k", "keep");
    InputStream fails = new SequenceInputStream(new ByteArrayInputStream(bytes(9_000_000)), new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("a bad block");
      }
    });
    assertThrows(IOException.class, () -> copies.put(Channels.newChannel(fails), "/k", StripingWish.NONE, 0644, LocalIdentity.NONE));
    assertEquals("keep", new String(content("/k"), StandardCharsets.UTF_8));
    assertEquals(1, files.list("/").size(), "nothing unfinished is left");
  }

  @Test
  void shouldRefuseToCopyAFileOntoItself() throws Exception {
    make("/f", "content");
    files.link("/f", "/h");
    FileAttributes same = files.attributes("/f");
    LocalIdentity local = LocalIdentity.parse(new LocalIdentity(same.inode(), same.ctimeNs()).toString());
    for (String path : new String[] {"/f", "/h"}) {
      assertTrue(assertThrows(CommandFailure.class, () -> copies.put(channel(bytes(5)), path, StripingWish.NONE, 0644, local)).getMessage()
          .contains("are the same file"));
      assertTrue(assertThrows(CommandFailure.class, () -> copies.get(path, Channels.newChannel(new ByteArrayOutputStream()), local)).getMessage()
          .contains("are the same file"));
    }
    assertEquals("content", new String(content("/f"), StandardCharsets.UTF_8));
    copies.put(channel(bytes(5)), "/f", StripingWish.NONE, 0644, new LocalIdentity(same.inode(), same.ctimeNs() + 1)); // Of another file system.
    assertArrayEquals(bytes(5), content("/f"));
  }

  @Test
  void shouldRefuseWhatIsNoFileAndAWishThatCannotBe() throws Exception {
    files.mkdir("/d", 0755);
    assertTrue(assertThrows(PvfsException.class, () -> copies.put(channel(bytes(5)), "/d", StripingWish.NONE, 0644, LocalIdentity.NONE)).getMessage()
        .contains("(EISDIR)"));
    assertTrue(assertThrows(PvfsException.class, () -> copies.put(channel(bytes(5)), "/x", new StripingWish(0, 9, 1), 0644, LocalIdentity.NONE)).getMessage()
        .contains("create /x: count is 9, must be from 1 to 2"));
    assertTrue(assertThrows(PvfsException.class, () -> copies.put(channel(bytes(5)), "/no/x", StripingWish.NONE, 0644, LocalIdentity.NONE)).getMessage()
        .contains("create /no/x"));
  }

  @Test
  void shouldRefuseMoreCopiesThanThereMayBeAndMakeNothingBeforeTheFirstByte() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicReference<Throwable> problem = new AtomicReference<>();
    Thread slow = Thread.ofPlatform().start(() -> {
      try {
        copies.put(Channels.newChannel(new InputStream() {
          @Override
          public int read() throws IOException {
            begun.countDown();
            try {
              goesOn.await();
            } catch (InterruptedException ended) {
              throw new IOException(ended);
            }
            return -1;
          }
        }), "/pipe", StripingWish.NONE, 0644, LocalIdentity.NONE);
      } catch (IOException | RuntimeException failed) {
        problem.set(failed);
      }
    });
    begun.await();
    assertEquals(0, files.list("/").size());
    assertTrue(assertThrows(CommandFailure.class, () -> content("/x")).getMessage().contains("weft.pvfs.commands.copies-max"));
    goesOn.countDown();
    slow.join();
    assertEquals(null, problem.get());
    assertEquals(0, content("/pipe").length);
  }
}
