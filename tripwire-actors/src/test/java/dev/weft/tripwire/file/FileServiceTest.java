package dev.weft.tripwire.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.tripwire.file.FileRequest.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What requests do to a real directory. */
@Tag("jvms")
class FileServiceTest {
  private static final int TRANSFER = 4096;

  @TempDir private Path directory;
  private Path root;
  private Path outside;
  private FileService service;
  private final MemorySegment in = Arena.ofAuto().allocate(TRANSFER);
  private final MemorySegment out = Arena.ofAuto().allocate(TRANSFER);

  @BeforeEach
  void lay() throws IOException {
    root = Files.createDirectory(directory.resolve("exported"));
    outside = Files.writeString(directory.resolve("secret"), "not for you");
    Files.writeString(root.resolve("hello"), "hello, world");
    Files.createDirectories(root.resolve("a/b"));
    Files.writeString(root.resolve("a/b/deep"), "deep");
    service = service(100);
  }

  private FileService service(int handlesMax) throws IOException {
    return new FileService(new ExportedRoot(root), 77, handlesMax);
  }

  private FileReply serve(FileRequest request) {
    return service.serve(request, in, out);
  }

  private FileReply lookup(FileHandle handle, String name) {
    return serve(new FileRequest(Operation.LOOKUP, handle, name));
  }

  private FileHandle find(String... names) {
    FileHandle handle = service.rootHandle();
    for (String name : names) {
      FileReply reply = lookup(handle, name);
      assertEquals(FileStatus.OK, reply.status(), name);
      handle = reply.handle();
    }
    return handle;
  }

  private FileReply read(FileHandle handle, long offset, int count) {
    return serve(new FileRequest(Operation.READ, handle, offset, count, ""));
  }

  private String text(int count) {
    return new String(out.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  private FileReply write(FileHandle handle, long offset, String text) {
    MemorySegment.copy(MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)), 0, in, 0, text.length());
    return serve(new FileRequest(Operation.WRITE, handle, offset, text.length(), ""));
  }

  @Test
  void shouldReadWhatIsThere() {
    FileHandle hello = find("hello");
    FileReply all = read(hello, 0, 100);
    assertEquals("hello, world", text(all.count()));
    assertTrue(all.isLast());
    FileReply part = read(hello, 7, 3);
    assertEquals("wor", text(part.count()));
    assertFalse(part.isLast());
    assertEquals(0, read(hello, 1000, 10).count());
    FileAttributes attributes = serve(new FileRequest(Operation.GETATTR, hello)).attributes();
    assertEquals(12, attributes.sizeBytes());
    assertFalse(attributes.isDirectory());
    assertEquals("deep", text(read(find("a", "b", "deep"), 0, 100).count()));
  }

  @Test
  void shouldCreateWriteCommitAndRemove() throws IOException {
    FileReply made = serve(new FileRequest(Operation.CREATE, find("a"), "new"));
    assertEquals(FileStatus.OK, made.status());
    assertEquals(FileStatus.EXISTS, serve(new FileRequest(Operation.CREATE, find("a"), "new")).status());
    assertEquals(5, write(made.handle(), 3, "bytes").count());
    assertEquals(FileStatus.OK, serve(new FileRequest(Operation.COMMIT, made.handle())).status());
    assertEquals("\0\0\0bytes", Files.readString(root.resolve("a/new")));
    assertEquals(FileStatus.NOT_EMPTY, serve(new FileRequest(Operation.REMOVE, service.rootHandle(), "a")).status());
    assertEquals(FileStatus.OK, serve(new FileRequest(Operation.REMOVE, find("a"), "new")).status());
    assertFalse(Files.exists(root.resolve("a/new")));
    assertEquals(FileStatus.STALE, read(made.handle(), 0, 1).status());
    assertEquals(FileStatus.NO_ENTRY, lookup(find("a"), "new").status());
  }

  @Test
  void shouldRefuseNamesThatLeadElsewhere() {
    for (String name : List.of("..", ".", "../secret", "a/b", "/etc/passwd", outside.toString())) {
      for (Operation operation : List.of(Operation.LOOKUP, Operation.CREATE, Operation.REMOVE)) {
        assertEquals(FileStatus.ACCESS, serve(new FileRequest(operation, service.rootHandle(), name)).status(), operation + " " + name);
      }
    }
    assertEquals(FileStatus.INVALID, lookup(service.rootHandle(), "").status());
    assertEquals(FileStatus.INVALID, lookup(service.rootHandle(), "hello\0").status());
    assertEquals(FileStatus.NAME_TOO_LONG, lookup(service.rootHandle(), "ä".repeat(128)).status());
    assertTrue(Files.exists(outside));
  }

  @Test
  void shouldNotFollowLinks() throws IOException {
    Files.createSymbolicLink(root.resolve("link"), outside);
    Files.createSymbolicLink(root.resolve("up"), directory);
    assertEquals(FileStatus.ACCESS, lookup(service.rootHandle(), "link").status());
    assertEquals(FileStatus.ACCESS, lookup(service.rootHandle(), "up").status());
  }

  /** Somebody at the server puts a link where a directory was that a client has a handle below. */
  @Test
  void shouldNotFollowLinksThatCameLater() throws IOException {
    FileHandle deep = find("a", "b", "deep");
    FileHandle b = find("a", "b");
    Files.move(root.resolve("a/b"), directory.resolve("b"));
    Files.createSymbolicLink(root.resolve("a/b"), directory.resolve("b"));
    assertNotEquals(FileStatus.OK, read(deep, 0, 10).status());
    assertNotEquals(FileStatus.OK, write(deep, 0, "x").status());
    assertNotEquals(FileStatus.OK, lookup(b, "deep").status());
    assertNotEquals(FileStatus.OK, serve(new FileRequest(Operation.CREATE, b, "x")).status());
    assertNotEquals(FileStatus.OK, serve(new FileRequest(Operation.READDIR, b, 0, TRANSFER, "")).status());
    assertEquals("deep", Files.readString(directory.resolve("b/deep")));
  }

  @Test
  void shouldTellThatAFileIsAnotherOne() throws IOException {
    FileHandle hello = find("hello");
    Files.move(Files.writeString(root.resolve("other"), "other"), root.resolve("hello"),
        StandardCopyOption.REPLACE_EXISTING);
    assertEquals(FileStatus.STALE, read(hello, 0, 10).status());
    assertEquals("other", text(read(find("hello"), 0, 10).count()));
  }

  @Test
  void shouldTellDirectoriesFromFiles() throws IOException, InterruptedException {
    assertEquals(FileStatus.IS_DIRECTORY, read(find("a"), 0, 10).status());
    assertEquals(FileStatus.IS_DIRECTORY, write(service.rootHandle(), 0, "x").status());
    assertEquals(FileStatus.NOT_DIRECTORY, lookup(find("hello"), "x").status());
    assertEquals(FileStatus.NOT_DIRECTORY, serve(new FileRequest(Operation.READDIR, find("hello"), 0, TRANSFER, "")).status());
    if (new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start().waitFor() == 0) {
      assertEquals(FileStatus.UNSUPPORTED, read(find("pipe"), 0, 10).status(), "and did not wait");
    }
  }

  @Test
  void shouldRefuseImpossibleRanges() {
    FileHandle hello = find("hello");
    assertEquals(FileStatus.INVALID, read(hello, -1, 10).status());
    assertEquals(FileStatus.INVALID, read(hello, 0, -1).status());
    assertEquals(FileStatus.INVALID, read(hello, 0, TRANSFER + 1).status());
    assertEquals(FileStatus.INVALID, read(hello, Long.MAX_VALUE, 10).status());
    assertEquals(FileStatus.INVALID, serve(new FileRequest(Operation.READDIR, service.rootHandle(), 0, 10, "")).status());
  }

  @Test
  void shouldListInParts() throws IOException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String name = String.format("file-%04d-%s", i, "x".repeat(i % 40));
      Files.createFile(root.resolve("a/b/" + name));
      expected.add(name);
    }
    expected.add(0, "deep");
    List<String> got = new ArrayList<>();
    int parts = 0;
    boolean last = false;
    while (!last) {
      FileReply reply = serve(new FileRequest(Operation.READDIR, find("a", "b"), 0, 1000, got.isEmpty() ? "" : got.getLast()));
      assertEquals(FileStatus.OK, reply.status());
      var entries = out.asSlice(0, reply.count()).asByteBuffer();
      while (entries.hasRemaining()) {
        assertEquals(2, entries.get());
        byte[] name = new byte[entries.getShort()];
        entries.get(name);
        got.add(new String(name, StandardCharsets.UTF_8));
      }
      last = reply.isLast();
      parts++;
    }
    assertEquals(expected, got);
    assertTrue(parts > 5, "parts " + parts);
  }

  @Test
  void shouldForgetTheHandleThatWasUsedLongestAgo() throws IOException {
    service = service(4);
    for (String name : List.of("one", "two", "three")) {
      Files.writeString(root.resolve(name), name);
    }
    FileHandle one = find("one");
    FileHandle two = find("two");
    FileHandle three = find("three");
    assertEquals(3, service.handleCount());
    assertEquals(3, read(one, 0, 10).count());
    FileHandle hello = find("hello");
    assertEquals(3, service.handleCount());
    assertEquals(FileStatus.STALE, read(two, 0, 10).status());
    assertEquals(FileStatus.OK, read(one, 0, 10).status());
    assertEquals(FileStatus.OK, read(three, 0, 10).status());
    assertEquals(FileStatus.OK, read(hello, 0, 10).status());
    assertEquals(two.slot(), hello.slot());
    assertEquals(FileStatus.STALE, read(new FileHandle(78, one.slot(), one.generation()), 0, 10).status());
    assertEquals(FileStatus.STALE, read(new FileHandle(77, -1, 0), 0, 10).status());
    assertEquals(FileStatus.STALE, read(new FileHandle(77, 4, 0), 0, 10).status());
  }

  @Test
  void shouldRefuseDamagedRequests() throws FileException {
    byte[] good = new FileRequest(Operation.LOOKUP, service.rootHandle(), "hello").toBytes();
    assertEquals("hello", FileRequest.of(good).name());
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertEquals(FileStatus.INVALID, assertThrows(FileException.class, () -> FileRequest.of(cut)).status());
    }
    good[3] = 99;
    assertThrows(FileException.class, () -> FileRequest.of(good));
    assertEquals(FileStatus.IO, FileReply.of(new byte[3]).status());
  }
}
