package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MetadataCacheTest {
  private static final long DIRECTORY = 5;
  private static final long FILE = 9;
  private static final long BOTH = MetaReply.LEASED | MetaReply.PARENT_LEASED;
  private static final byte[] NOTHING = {};

  private long leaseNs = 5_000_000_000L;
  private final MetadataCache cache = new MetadataCache(() -> leaseNs, 4);

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static FileAttributes attributes(long inode, int type, long bytes) {
    return new FileAttributes(inode, type | 0644, 0, 0, 1, bytes, 1, 2, 3, type == FileAttributes.REGULAR ? new Striping(0, 1, 65536, 1) : null);
  }

  private void learn(MetaOp op, String name, long inode, int type, long flags, byte[] value) {
    MetaRequest request = MetaRequest.of(op, Caller.ROOT, DIRECTORY).named(name);
    cache.learn(request, new MetaReply(1, Errno.OK, attributes(inode, type, 10), flags, value));
  }

  private void learnFile(MetaOp op, long flags) {
    learn(op, "f", FILE, FileAttributes.REGULAR, flags, NOTHING);
  }

  @Test
  void shouldRememberWhatItMayUntilItIsToldOrItsTimeIsOver() {
    learnFile(MetaOp.LOOKUP, BOTH);
    assertEquals(FILE, cache.name(DIRECTORY, name("f")));
    assertEquals(10, cache.inode(FILE).attributes().bytes());
    assertEquals(1_000_000_000L, cache.validNs(FILE));
    leaseNs = 100;
    assertEquals(100, cache.nameValidNs(DIRECTORY, name("f")));
    leaseNs = 0;
    assertNull(cache.inode(FILE));
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("f")));
    leaseNs = 100;
    cache.onEvent(new MetaEvent(1, MetaEvent.Kind.CHANGED, FILE));
    assertNull(cache.inode(FILE));
    assertEquals(FILE, cache.name(DIRECTORY, name("f")));
    cache.onEvent(new MetaEvent(2, MetaEvent.Kind.CHANGED, DIRECTORY));
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("f")));
  }

  @Test
  void shouldNotRememberWhatItMayNot() {
    learnFile(MetaOp.LOOKUP, BOTH);
    learnFile(MetaOp.SETATTR, 0);
    assertNull(cache.inode(FILE));
    learnFile(MetaOp.LINK, 0);
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("f")));
  }

  @Test
  void shouldForgetWhatItHasChangedItself() {
    learnFile(MetaOp.LOOKUP, BOTH);
    byte[] changed = MetaReply.encodeChanged(List.of(FILE, DIRECTORY), attributes(DIRECTORY, FileAttributes.DIRECTORY, 77));
    cache.learn(MetaRequest.of(MetaOp.UNLINK, Caller.ROOT, DIRECTORY).named("f"), new MetaReply(1, Errno.OK, null, MetaReply.PARENT_LEASED, changed));
    assertNull(cache.inode(FILE), "it has fewer links");
    assertEquals(77, cache.inode(DIRECTORY).attributes().bytes());
    assertEquals(MetadataCache.ABSENT, cache.name(DIRECTORY, name("f")));
  }

  @Test
  void shouldKnowAllNamesOfADirectoryThatItHasMade() {
    long made = 30;
    learn(MetaOp.MKDIR, "d", made, FileAttributes.DIRECTORY, BOTH, NOTHING);
    assertEquals(MetadataCache.ABSENT, cache.name(made, name("x")));
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("x")));
    MetaRequest rename = MetaRequest.of(MetaOp.RENAME, Caller.ROOT, DIRECTORY).withOther(made).named("f").withValue(name("x"));
    cache.learn(rename, MetaReply.ok(1));
    assertEquals(MetadataCache.UNKNOWN, cache.name(made, name("x")));
  }

  @Test
  void shouldForgetDirectoriesThatItHasRemovedAndNamesThatItNeedNotKnow() {
    for (long made = 30; made < 40; made++) {
      learn(MetaOp.MKDIR, "d", made, FileAttributes.DIRECTORY, BOTH, NOTHING);
      for (int i = 0; i < 10; i++) {
        MetaRequest unlink = MetaRequest.of(MetaOp.UNLINK, Caller.ROOT, made).named("n" + i);
        cache.learn(unlink, new MetaReply(1, Errno.OK, null, MetaReply.PARENT_LEASED, NOTHING));
      }
      assertEquals(MetadataCache.ABSENT, cache.name(made, name("n1")));
      assertEquals(0, cache.nameValidNs(made, name("n1")), "the kernel could not be told of it");
      byte[] changed = MetaReply.encodeChanged(List.of(made, DIRECTORY), attributes(DIRECTORY, FileAttributes.DIRECTORY, 77));
      cache.learn(MetaRequest.of(MetaOp.RMDIR, Caller.ROOT, DIRECTORY).named("d"), new MetaReply(1, Errno.OK, null, BOTH, changed));
      assertEquals(MetadataCache.UNKNOWN, cache.name(made, name("n1")), "it is gone");
      assertNotNull(cache.inode(DIRECTORY), "nothing else had to be forgotten");
    }
  }

  /** What the kernel was given of it is to be taken back when others change it. */
  @Test
  void shouldKeepTheNamesOfADirectoryThatIsMovedAndForgetThoseOfOneThatItReplaces() {
    learn(MetaOp.MKDIR, "from", 30, FileAttributes.DIRECTORY, BOTH, NOTHING);
    learn(MetaOp.MKDIR, "to", 31, FileAttributes.DIRECTORY, BOTH, NOTHING);
    assertEquals(MetadataCache.ABSENT, cache.name(31, name("x")));
    MetaRequest rename = MetaRequest.of(MetaOp.RENAME, Caller.ROOT, DIRECTORY, 0).withOther(DIRECTORY).named("from").withValue(name("to"));
    byte[] changed = MetaReply.encodeChanged(List.of(30L, 31L, DIRECTORY), null);
    cache.learn(rename, new MetaReply(1, Errno.OK, null, 0, changed));
    assertEquals(MetadataCache.ABSENT, cache.name(30, name("x")));
    assertEquals(MetadataCache.UNKNOWN, cache.name(31, name("x")));
    learn(MetaOp.MKDIR, "other", 32, FileAttributes.DIRECTORY, BOTH, NOTHING);
    learn(MetaOp.LOOKUP, "to", 30, FileAttributes.DIRECTORY, BOTH, NOTHING);
    cache.learn(MetaRequest.of(MetaOp.RENAME, Caller.ROOT, DIRECTORY, 2).withOther(DIRECTORY).named("other").withValue(name("to")),
        new MetaReply(1, Errno.OK, null, 0, NOTHING));
    assertEquals(MetadataCache.ABSENT, cache.name(30, name("x")));
    assertEquals(MetadataCache.ABSENT, cache.name(32, name("x")));
  }

  /** The kernel renames its own entries and gives them no new end. */
  @Test
  void shouldInvalidateInTheKernelWhatWasRenamedHere() {
    cache.keepGone();
    learn(MetaOp.LOOKUP, "old", 30, FileAttributes.REGULAR, BOTH, NOTHING);
    cache.learn(MetaRequest.of(MetaOp.RENAME, Caller.ROOT, DIRECTORY).withOther(DIRECTORY).named("old").withValue(name("new")), MetaReply.ok(1));
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("old")));
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("new")));
    cache.onEvent(new MetaEvent(1, MetaEvent.Kind.CHANGED, DIRECTORY));
    assertEquals(Set.of(new Name(name("old")), new Name(name("new"))), Set.copyOf(cache.takeGone(DIRECTORY)));
  }

  @Test
  void shouldNotKnowMoreWholeDirectoriesThanItMayRemember() {
    for (long made = 30; made < 34; made++) {
      learn(MetaOp.MKDIR, "d" + made, made, FileAttributes.DIRECTORY, MetaReply.LEASED, NOTHING);
      cache.onEvent(new MetaEvent(1, MetaEvent.Kind.CHANGED, DIRECTORY));
      cache.learn(MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, made, 0), new MetaReply(1, Errno.OK, attributes(made, FileAttributes.DIRECTORY, 0), 0, NOTHING));
    }
    assertEquals(0, cache.count());
    assertEquals(MetadataCache.ABSENT, cache.name(30, name("x")));
    learn(MetaOp.MKDIR, "d34", 34, FileAttributes.DIRECTORY, MetaReply.LEASED, NOTHING);
    assertEquals(MetadataCache.UNKNOWN, cache.name(30, name("x")));
    assertEquals(MetadataCache.ABSENT, cache.name(34, name("x")));
  }

  @Test
  void shouldKnowTheLengthOfAFileThatItWritesAlone() {
    learnFile(MetaOp.CREATE, BOTH | MetaReply.SOLE | MetaReply.LENGTH_OPEN);
    cache.writer(FILE).extend(100);
    cache.writer(FILE).extend(50);
    assertEquals(100, cache.writer(FILE).bytes());
    learnFile(MetaOp.OPEN, BOTH | MetaReply.LENGTH_OPEN);
    assertEquals(100, cache.writer(FILE).bytes());
    cache.learn(MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, FILE, MetaRequest.SET_BYTES, 0, 0, 0, 30), MetaReply.ok(1));
    assertEquals(30, cache.writer(FILE).bytes());
    cache.learn(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, FILE, -1, 1, 0, 1), MetaReply.ok(1));
    assertNotNull(cache.writer(FILE), "it is open a second time");
    cache.onEvent(new MetaEvent(1, MetaEvent.Kind.CHANGED, FILE));
    assertNull(cache.writer(FILE), "somebody else writes it");
  }

  @Test
  void shouldBeginAnewWhenItIsFull() {
    for (long inode = 100; inode < 104; inode++) {
      learn(MetaOp.LOOKUP, "n" + inode, inode, FileAttributes.REGULAR, BOTH, NOTHING);
    }
    assertEquals(4, cache.count());
    learn(MetaOp.LOOKUP, "more", 105, FileAttributes.REGULAR, BOTH, NOTHING);
    assertEquals(1, cache.count());
    assertEquals(105, cache.name(DIRECTORY, name("more")));
    assertEquals(MetadataCache.UNKNOWN, cache.name(DIRECTORY, name("n100")));
  }
}
