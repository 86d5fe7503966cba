package dev.weft.pvfs.nio;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Names, links, copies, moves, directories and attributes. */
final class NameCases {
  private NameCases() {}

  static void addTo(NioCase.Book book) {
    names(book);
    belowAFile(book);
    links(book);
    copies(book);
    moves(book);
    directories(book);
    attributes(book);
    paths(book);
  }

  private static void names(NioCase.Book book) {
    book.add("make and remove", (root, saw) -> {
      saw.that("parent is missing", () -> Files.createFile(root.resolve("no/file")));
      saw.that("made", () -> Files.createFile(root.resolve("f")).getFileName());
      saw.that("again", () -> Files.createFile(root.resolve("f")));
      saw.that("below a file", () -> Files.createFile(root.resolve("f/g")));
      saw.that("directory over a file", () -> Files.createDirectory(root.resolve("f")));
      saw.that("removed", () -> Files.deleteIfExists(root.resolve("f")));
      saw.that("not there", () -> Files.deleteIfExists(root.resolve("f")));
      saw.that("must be there", () -> {
        Files.delete(root.resolve("f"));
        return "gone";
      });
      saw.that("below a file that was", () -> Files.exists(root.resolve("f/g")));
    });
    book.add("directories that are full", (root, saw) -> {
      saw.that("many at once", () -> Files.createDirectories(root.resolve("a/b/c")).getFileName());
      saw.that("again", () -> Files.createDirectories(root.resolve("a/b/c")).getFileName());
      Files.createFile(root.resolve("a/f"));
      saw.that("over a file", () -> Files.createDirectories(root.resolve("a/f")));
      saw.that("not empty", () -> {
        Files.delete(root.resolve("a"));
        return "gone";
      });
      Files.delete(root.resolve("a/b/c"));
      saw.that("left", () -> Files.exists(root.resolve("a/b/c")) + " " + Files.isDirectory(root.resolve("a/b")));
    });
    book.add("names of all kinds", (root, saw) -> {
      for (String name : List.of("a b", "-", "...", "\u0001", "%41", "a:b", "x".repeat(255))) {
        saw.that(name.length() > 20 ? "long" : name, () -> Files.readString(Files.writeString(root.resolve(name), name)).equals(name));
      }
      saw.that("too long", () -> Files.createFile(root.resolve("x".repeat(256))));
      saw.that("with a zero", () -> root.resolve("a\0b"));
      saw.that("all", () -> list(root).size());
    });
    book.add("temporary files", (root, saw) -> {
      saw.that("file", () -> Files.createTempFile(root, "a", ".b").getFileName().toString().endsWith(".b"));
      saw.that("directory", () -> Files.isDirectory(Files.createTempDirectory(root, "a")));
      saw.that("permissions", () -> {
        try (Stream<Path> all = Files.list(root)) {
          return new TreeSet<>(all.map(NameCases::permissions).toList());
        }
      });
    });
  }

  private static void belowAFile(NioCase.Book book) {
    book.add("below a file", (root, saw) -> {
      Path file = Files.writeString(root.resolve("f"), "x");
      Path below = file.resolve("g");
      Path link = Files.createSymbolicLink(root.resolve("l"), root.getFileSystem().getPath("f"));
      Path directory = Files.createDirectory(root.resolve("d"));
      saw.that("there", () -> Files.exists(below) + " " + Files.notExists(below) + Files.notExists(below, NOFOLLOW_LINKS) + Files.isReadable(below));
      saw.that("size", () -> Files.size(below));
      saw.that("basic", () -> Files.readAttributes(below, BasicFileAttributes.class));
      saw.that("posix", () -> Files.readAttributes(below, PosixFileAttributes.class, NOFOLLOW_LINKS));
      saw.that("named", () -> Files.readAttributes(below, "unix:*"));
      saw.that("owner", () -> Files.getOwner(below));
      saw.that("permissions set", () -> Files.setPosixFilePermissions(below, PosixFilePermissions.fromString("rwx------")));
      saw.that("time set", () -> Files.setLastModifiedTime(below, FileTime.fromMillis(1)));
      saw.that("walked", () -> Files.walk(below).count());
      saw.that("listed", () -> Files.newDirectoryStream(below));
      saw.that("a file listed", () -> Files.newDirectoryStream(file));
      saw.that("a link to a file listed", () -> Files.newDirectoryStream(link));
      for (Path to : List.of(root.resolve("x"), below)) {
        String where = to.equals(below) ? " there" : "";
        for (Path from : List.of(below, file, link, directory)) {
          if (!from.equals(to) && (to.equals(below) || from.equals(below))) {
            String what = from.getFileName() + where;
            saw.that(what + " copied", () -> Files.copy(from, to, NOFOLLOW_LINKS));
            saw.that(what + " copied over", () -> Files.copy(from, to, REPLACE_EXISTING));
            saw.that(what + " moved", () -> Files.move(from, to));
            saw.that(what + " moved over", () -> Files.move(from, to, REPLACE_EXISTING));
            saw.that(what + " moved at once", () -> Files.move(from, to, ATOMIC_MOVE));
          }
        }
      }
      saw.that("read", () -> Files.readString(below));
      saw.that("made", () -> Files.createDirectory(below));
      saw.that("all made", () -> Files.createDirectories(below));
      saw.that("removed", () -> Files.deleteIfExists(below));
      saw.that("read as a link", () -> Files.readSymbolicLink(below));
      saw.that("linked", () -> Files.createLink(below, file));
      saw.that("made a link", () -> Files.createSymbolicLink(below, file));
      saw.that("real", below::toRealPath);
      saw.that("up", () -> file.resolve("..").toRealPath());
      saw.that("same", () -> Files.isSameFile(file, below));
      saw.that("store", () -> Files.getFileStore(below));
    });
    book.add("directories that are no files", (root, saw) -> {
      Files.createSymbolicLink(Files.createDirectory(root.resolve("d")).resolve("l"), root.getFileSystem().getPath("../d/."));
      for (String name : List.of("d", "d/.", "d/..", ".", "..", "", "d/l", "no/.", "no/..")) {
        for (List<OpenOption> options : List.<List<OpenOption>>of(List.of(CREATE), List.of(), List.of(WRITE), List.of(CREATE, APPEND), List.of(CREATE_NEW))) {
          saw.that("'" + name + "' " + options, () -> Files.write(root.resolve(name), new byte[1], options.toArray(OpenOption[]::new)));
        }
        saw.that("'" + name + "' made", () -> Files.createDirectory(root.resolve(name)));
        saw.that("'" + name + "' all made", () -> root.relativize(Files.createDirectories(root.resolve(name))).normalize());
      }
      saw.that("all made and up", () -> Files.exists(Files.createDirectories(root.resolve("c/../."))) + " " + Files.exists(root.resolve("c")));
      saw.that("all made beside", () -> Files.isDirectory(Files.createDirectories(root.resolve("a/../b/c"))) + " " + list(root));
    });
  }

  private static String permissions(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (java.io.IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  private static TreeSet<String> list(Path directory) throws java.io.IOException {
    TreeSet<String> names = new TreeSet<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      all.forEach(path -> names.add(path.getFileName().toString()));
    }
    return names;
  }

  private static void links(NioCase.Book book) {
    book.add("symbolic links", (root, saw) -> {
      Path link = Files.createSymbolicLink(root.resolve("link"), root.getFileSystem().getPath("target"));
      saw.that("target", () -> Files.readSymbolicLink(link));
      saw.that("dangles", () -> Files.exists(link) + " " + Files.exists(link, NOFOLLOW_LINKS) + " " + Files.isSymbolicLink(link));
      saw.that("read", () -> Files.readString(link));
      saw.that("must be new", () -> Files.createFile(link));
      saw.that("written through", () -> Files.readString(Files.writeString(link, "x")) + Files.readString(root.resolve("target")));
      saw.that("same", () -> Files.isSameFile(link, root.resolve("target")));
      saw.that("no link", () -> Files.readSymbolicLink(root.resolve("target")));
      saw.that("not followed", () -> Files.newByteChannel(link, java.util.Set.of(java.nio.file.StandardOpenOption.READ, NOFOLLOW_LINKS)));
      saw.that("real", () -> root.relativize(link.toRealPath()).toString().endsWith("target"));
      saw.that("real, not followed", () -> link.toRealPath(NOFOLLOW_LINKS).getFileName());
      saw.that("there is one", () -> Files.createSymbolicLink(link, link));
      saw.that("removed", () -> Files.deleteIfExists(link) + " " + Files.exists(root.resolve("target")));
    });
    book.add("links in a circle", (root, saw) -> {
      Files.createSymbolicLink(root.resolve("a"), root.getFileSystem().getPath("b"));
      Files.createSymbolicLink(root.resolve("b"), root.getFileSystem().getPath("a"));
      saw.that("read", () -> Files.readString(root.resolve("a")));
      saw.that("exists", () -> Files.exists(root.resolve("a")));
      saw.that("below", () -> Files.createFile(root.resolve("a/c")));
      saw.that("real", () -> root.resolve("a").toRealPath());
    });
    book.add("links to directories", (root, saw) -> {
      Files.createDirectories(root.resolve("d/e"));
      Files.createSymbolicLink(root.resolve("l"), root.getFileSystem().getPath("d/e"));
      Files.writeString(root.resolve("l/f"), "x");
      saw.that("through", () -> Files.readString(root.resolve("d/e/f")));
      saw.that("up", () -> Files.exists(root.resolve("l/../e")) + " " + Files.exists(root.resolve("l/../d")));
      saw.that("real", () -> root.toRealPath().relativize(root.resolve("l/../e/f").toRealPath()));
      saw.that("is a directory", () -> Files.isDirectory(root.resolve("l")) + " " + Files.isDirectory(root.resolve("l"), NOFOLLOW_LINKS));
      saw.that("listed", () -> list(root.resolve("l")));
      saw.that("removed", () -> Files.deleteIfExists(root.resolve("l")) + " " + Files.exists(root.resolve("d/e/f")));
    });
    book.add("hard links", (root, saw) -> {
      Path file = Files.writeString(root.resolve("f"), "one");
      saw.that("made", () -> Files.createLink(root.resolve("g"), file).getFileName());
      saw.that("same", () -> Files.isSameFile(file, root.resolve("g")) + " " + Files.getAttribute(file, "unix:nlink"));
      saw.that("there is one", () -> Files.createLink(root.resolve("g"), file));
      saw.that("of nothing", () -> Files.createLink(root.resolve("h"), root.resolve("no")));
      saw.that("of a directory", () -> Files.createLink(root.resolve("h"), Files.createDirectory(root.resolve("d"))).getFileName());
      Files.writeString(root.resolve("g"), "two");
      Files.delete(file);
      saw.that("left", () -> Files.readString(root.resolve("g")));
      Files.createSymbolicLink(root.resolve("s"), root.getFileSystem().getPath("g"));
      saw.that("of a symbolic link", () -> Files.isSymbolicLink(Files.createLink(root.resolve("t"), root.resolve("s"))));
    });
  }

  private static void copies(NioCase.Book book) {
    book.add("copies of files", (root, saw) -> {
      Path file = Files.writeString(root.resolve("f"), "data");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
      saw.that("made", () -> Files.readString(Files.copy(file, root.resolve("g"))));
      saw.that("there is one", () -> Files.copy(file, root.resolve("g")));
      saw.that("replaced", () -> Files.readString(Files.copy(file, root.resolve("g"), REPLACE_EXISTING)));
      saw.that("with attributes", () -> permissions(Files.copy(file, root.resolve("h"), COPY_ATTRIBUTES)) + " " + Files.getLastModifiedTime(root.resolve("h")));
      saw.that("of nothing", () -> Files.copy(root.resolve("no"), root.resolve("x")));
      saw.that("into nothing", () -> Files.copy(file, root.resolve("no/x")));
      saw.that("onto itself", () -> Files.copy(file, file).getFileName() + Files.readString(file));
      saw.that("atomic", () -> Files.copy(file, root.resolve("x"), ATOMIC_MOVE));
      saw.that("from a stream", () -> Files.copy(new java.io.ByteArrayInputStream(new byte[7]), root.resolve("s")) + " " + Files.size(root.resolve("s")));
      saw.that("into a stream", () -> {
        var out = new java.io.ByteArrayOutputStream();
        return Files.copy(file, out) + " " + out;
      });
    });
    book.add("copies of directories and links", (root, saw) -> {
      Files.createDirectory(root.resolve("d"));
      Files.writeString(root.resolve("d/f"), "x");
      saw.that("directory", () -> list(Files.copy(root.resolve("d"), root.resolve("e"))));
      Files.writeString(root.resolve("e/g"), "x");
      saw.that("over a full one", () -> Files.copy(root.resolve("d/f"), root.resolve("e"), REPLACE_EXISTING));
      Files.createSymbolicLink(root.resolve("l"), root.getFileSystem().getPath("d/f"));
      saw.that("link followed", () -> Files.isSymbolicLink(Files.copy(root.resolve("l"), root.resolve("m"))));
      saw.that("link itself", () -> Files.readSymbolicLink(Files.copy(root.resolve("l"), root.resolve("n"), NOFOLLOW_LINKS)));
      saw.that("over a link", () -> Files.isSymbolicLink(Files.copy(root.resolve("d/f"), root.resolve("n"), REPLACE_EXISTING))
          + Files.readString(root.resolve("d/f")));
    });
  }

  private static void moves(NioCase.Book book) {
    book.add("moves of files", (root, saw) -> {
      Path file = Files.writeString(root.resolve("f"), "one");
      saw.that("moved", () -> Files.readString(Files.move(file, root.resolve("g"))) + Files.exists(file));
      Files.writeString(file, "two");
      saw.that("there is one", () -> Files.move(file, root.resolve("g")));
      saw.that("replaced", () -> Files.readString(Files.move(file, root.resolve("g"), REPLACE_EXISTING)) + Files.exists(file));
      Files.writeString(file, "three");
      saw.that("atomic", () -> Files.readString(Files.move(file, root.resolve("g"), ATOMIC_MOVE)) + Files.exists(file));
      saw.that("nothing", () -> Files.move(file, root.resolve("h")));
      saw.that("nowhere", () -> Files.move(root.resolve("g"), root.resolve("no/h")));
      saw.that("onto itself", () -> Files.readString(Files.move(root.resolve("g"), root.resolve("g"))));
      Files.createLink(root.resolve("h"), root.resolve("g"));
      saw.that("with attributes", () -> Files.move(root.resolve("g"), root.resolve("i"), COPY_ATTRIBUTES));
    });
    book.add("moves of directories", (root, saw) -> {
      Files.createDirectories(root.resolve("d/e"));
      Files.createDirectory(root.resolve("full"));
      Files.writeString(root.resolve("full/f"), "x");
      Files.createDirectory(root.resolve("empty"));
      Files.writeString(root.resolve("file"), "x");
      saw.that("into itself", () -> Files.move(root.resolve("d"), root.resolve("d/e/d")));
      saw.that("over a full one", () -> Files.move(root.resolve("d"), root.resolve("full"), REPLACE_EXISTING));
      saw.that("over an empty one", () -> list(Files.move(root.resolve("d"), root.resolve("empty"), REPLACE_EXISTING)));
      saw.that("over a file", () -> list(Files.move(root.resolve("empty"), root.resolve("file"), REPLACE_EXISTING)));
      saw.that("a file over an empty one", () -> Files.readString(Files.move(root.resolve("full/f"), root.resolve("file/e"), REPLACE_EXISTING)));
      saw.that("left", () -> list(root));
    });
    book.add("moves of links", (root, saw) -> {
      Files.writeString(root.resolve("f"), "x");
      Files.createSymbolicLink(root.resolve("l"), root.getFileSystem().getPath("f"));
      saw.that("moved", () -> Files.readSymbolicLink(Files.move(root.resolve("l"), root.resolve("m"))));
      saw.that("over its target", () -> Files.isSymbolicLink(Files.move(root.resolve("m"), root.resolve("f"), REPLACE_EXISTING)));
    });
  }

  private static void directories(NioCase.Book book) {
    book.add("directory streams", (root, saw) -> {
      for (int i = 0; i < 150; i++) {
        Files.createFile(root.resolve("a-name-that-is-rather-long-so-that-pages-are-full-" + i + (i % 3 == 0 ? ".txt" : "")));
      }
      saw.that("all", () -> list(root).size());
      try (DirectoryStream<Path> some = Files.newDirectoryStream(root, "*-1?.{txt,bin}")) {
        List<String> names = new ArrayList<>();
        some.forEach(path -> names.add(path.getFileName().toString()));
        saw.that("by a pattern", () -> new TreeSet<>(names));
      }
      DirectoryStream<Path> stream = Files.newDirectoryStream(root);
      saw.that("iterated", () -> stream.iterator().hasNext());
      saw.that("twice", stream::iterator);
      stream.close();
      saw.that("of a file", () -> Files.newDirectoryStream(root.resolve("a-name-that-is-rather-long-so-that-pages-are-full-1")));
      saw.that("of nothing", () -> Files.newDirectoryStream(root.resolve("no")));
    });
    book.add("walks", (root, saw) -> {
      Files.createDirectories(root.resolve("a/b"));
      Files.writeString(root.resolve("a/b/c"), "x");
      Files.createSymbolicLink(root.resolve("a/up"), root.getFileSystem().getPath(".."));
      try (Stream<Path> all = Files.walk(root)) {
        List<String> names = all.map(path -> root.relativize(path).toString()).sorted().toList();
        saw.that("found", () -> names);
      }
      saw.that("in a circle", () -> {
        try (Stream<Path> all = Files.walk(root, FileVisitOption.FOLLOW_LINKS)) {
          return all.count();
        }
      });
    });
  }

  private static void attributes(NioCase.Book book) {
    book.add("kinds and sizes", (root, saw) -> {
      Path file = Files.write(root.resolve("f"), new byte[100_000]);
      BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
      saw.that("file", () -> of.size() + " " + of.isRegularFile() + of.isDirectory() + of.isSymbolicLink() + of.isOther());
      saw.that("size", () -> Files.size(file) + " " + Files.getAttribute(file, "size"));
      saw.that("directory", () -> Files.readAttributes(root, PosixFileAttributes.class).isDirectory());
      saw.that("keys", () -> of.fileKey().equals(Files.readAttributes(file, BasicFileAttributes.class).fileKey()));
      saw.that("nothing", () -> Files.readAttributes(root.resolve("no"), BasicFileAttributes.class));
      saw.that("names", () -> new TreeSet<>(Files.readAttributes(file, "*").keySet()));
      saw.that("posix names", () -> new TreeSet<>(Files.readAttributes(file, "posix:*").keySet()));
      saw.that("unix names", () -> new TreeSet<>(Files.readAttributes(file, "unix:*").keySet()));
      saw.that("some", () -> new TreeSet<>(Files.readAttributes(file, "posix:size,owner").keySet()));
      saw.that("no such one", () -> Files.readAttributes(file, "posix:colour"));
      saw.that("no such view", () -> Files.readAttributes(file, "no:size"));
      saw.that("none", () -> Files.readAttributes(file, "basic:"));
      saw.that("hidden", () -> Files.isHidden(file) + " " + Files.isHidden(root.resolve(".f")));
      saw.that("probed", () -> Files.probeContentType(root.resolve("a.html")));
    });
    book.add("times and permissions", (root, saw) -> {
      Path file = Files.createFile(root.resolve("f"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
      saw.that("when made", () -> permissions(file));
      saw.that("directory", () -> permissions(Files.createDirectory(root.resolve("d"),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))));
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_234_567_890_123L));
      saw.that("changed", () -> Files.getLastModifiedTime(file).toMillis());
      Files.setAttribute(file, "lastAccessTime", FileTime.fromMillis(5_000));
      saw.that("read", () -> Files.getAttribute(file, "lastAccessTime") + " " + Files.getLastModifiedTime(file));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
      saw.that("set", () -> permissions(file) + Files.isExecutable(file));
      saw.that("mode", () -> Integer.toOctalString((Integer) Files.getAttribute(Files.setAttribute(file, "unix:mode", 01640), "unix:mode")));
      saw.that("wrong value", () -> Files.setAttribute(file, "posix:permissions", "rw"));
      saw.that("wrong name", () -> Files.setAttribute(file, "posix:size", 4L));
      saw.that("owner", () -> Files.getOwner(file).getName());
      saw.that("owner set", () -> Files.getOwner(Files.setOwner(file, root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("daemon"))));
      saw.that("nobody of that name", () -> root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("no-such-user"));
      var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
      saw.that("view", () -> view.name() + " " + view.readAttributes().owner() + " " + view.readAttributes().group().getName());
      saw.that("made with more", () -> Files.createFile(root.resolve("x"), new Other()));
    });
  }

  private record Other() implements java.nio.file.attribute.FileAttribute<String> {
    @Override
    public String name() {
      return "other:thing";
    }

    @Override
    public String value() {
      return "x";
    }
  }

  private static String somePath(Random random) {
    List<String> names = List.of("a", "b", ".", "..", "...", "");
    StringBuilder path = new StringBuilder(random.nextInt(4) == 0 ? "/" : "");
    for (int count = random.nextInt(6); count > 0; count--) {
      path.append(names.get(random.nextInt(names.size()))).append(count > 1 ? "/" : "");
    }
    return path.toString();
  }

  private static void paths(NioCase.Book book) {
    book.add("paths", (root, saw) -> {
      List<String> texts = List.of("", "/", "a", "/a", "a/b/../c", "/../a", "./a/.", "..", "a//b/", "../../x", "/a/b/c");
      for (String text : texts) {
        Path path = root.getFileSystem().getPath(text);
        saw.that("'" + text + "'", () -> path + "|" + path.getRoot() + "|" + path.getParent() + "|" + path.getFileName() + "|" + path.getNameCount() + "|"
            + path.normalize() + "|" + path.isAbsolute() + "|" + path.hashCode() % 1);
        for (String other : texts) {
          Path second = root.getFileSystem().getPath(other);
          saw.that("'" + text + "' and '" + other + "'", () -> path.resolve(second) + "|" + path.startsWith(second) + path.endsWith(second)
              + path.equals(second) + "|" + path.resolveSibling(second) + "|" + Integer.signum(path.compareTo(second)));
        }
      }
      saw.that("starts with nothing", () -> root.startsWith((Path) null));
      saw.that("ends with nothing", () -> root.endsWith((Path) null));
      saw.that("part", () -> root.getFileSystem().getPath("/a/b/c").subpath(1, 3));
      saw.that("no part", () -> root.getFileSystem().getPath("/a").subpath(1, 1));
      saw.that("relative", () -> root.getFileSystem().getPath("/a/b").relativize(root.getFileSystem().getPath("/a/c/d")));
      saw.that("relative to another kind", () -> root.getFileSystem().getPath("/a/b").relativize(root.getFileSystem().getPath("c")));
      saw.that("joined", () -> root.getFileSystem().getPath("a", "", "b/", "/c"));
    });
    book.add("paths between paths", (root, saw) -> {
      Random random = new Random(5);
      for (int i = 0; i < 5000; i++) {
        Path from = root.getFileSystem().getPath(somePath(random));
        Path to = root.getFileSystem().getPath(somePath(random));
        saw.that("'" + from + "' to '" + to + "'", () -> {
          Path relative = from.relativize(to);
          return relative + "|" + relative.getNameCount() + "|" + relative.normalize() + "|" + from.resolve(relative).normalize();
        });
      }
    });
    book.add("patterns", (root, saw) -> {
      for (String pattern : List.of("glob:*.java", "glob:**/x", "glob:a?c", "glob:[a-c]x", "glob:[!a]x", "glob:{a,bc}*", "glob:\\*", "regex:a.*c", "glob:a[",
          "glob:{a", "glob:{{a}}", "other:x", "none", "glob:[b-a]", "glob:/**", "glob:a,b", "glob:}", "GLOB:a*")) {
        for (String text : List.of("x.java", "d/x.java", "a/b/x", "abc", "a/c", "bx", "ax", "bcd", "*", "/a/b", "a,b", "}")) {
          saw.that(pattern + " " + text, () -> root.getFileSystem().getPathMatcher(pattern).matches(root.getFileSystem().getPath(text)));
        }
      }
    });
  }
}
