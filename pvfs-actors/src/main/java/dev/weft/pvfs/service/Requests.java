package dev.weft.pvfs.service;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PathNames;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the commands of {@code weft pvfs} ask of the JVM that has the file system: words in, lines out. Any thread. */
final class Requests {
  private static final int STRIPES_SHOWN = 64;

  private final PvfsFileSystem files;
  private final Probes probes;

  Requests(PvfsFileSystem files, Probes probes) {
    this.files = files;
    this.probes = probes;
  }

  List<String> answer(List<String> words) {
    try {
      return switch (words.getFirst()) {
        case "ls" -> list(words.get(1), words.get(2).equals("long"));
        case "stat" -> stat(words.get(1));
        case "viewdist" -> viewDistribution(words.get(1));
        case "mkdir" -> done(() -> files.mkdir(words.get(1), Integer.parseInt(words.get(2), 8)));
        case "rm" -> done(() -> remove(words.get(1)));
        case "mv" -> done(() -> files.rename(words.get(1), words.get(2)));
        case "ln" -> done(() -> files.link(words.get(1), words.get(2)));
        case "ln-s" -> done(() -> files.symlink(words.get(1), words.get(2)));
        case "setstripe" -> done(() -> files.setStriping(words.get(1), wish(words.subList(2, 5))));
        case "probe" -> probes.ask(Integer.parseInt(words.get(1)));
        case "put" -> new Copies(files).put(words.get(1), words.get(2), wish(words.subList(3, 6)));
        case "get" -> new Copies(files).get(words.get(1), words.get(2));
        default -> throw new CommandFailure("the file system does not know the request " + words + "; is it of another version?");
      };
    } catch (NoSuchFileException missing) {
      throw new CommandFailure(missing.getFile() + ": no such file on this host", missing);
    } catch (AccessDeniedException denied) {
      throw new CommandFailure(denied.getFile() + ": the user of the fabric may not use this file of this host", denied);
    } catch (IOException failed) {
      throw new CommandFailure(failed.getMessage(), failed);
    } catch (IndexOutOfBoundsException | NumberFormatException wrong) {
      throw new CommandFailure("the file system does not understand the request " + words + "; is it of another version?", wrong);
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong); // A wish that cannot be.
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private static List<String> done(Action action) throws IOException {
    action.run();
    return List.of();
  }

  private static StripingWish wish(List<String> words) {
    return new StripingWish(Integer.parseInt(words.get(0)), orAny(Integer.parseInt(words.get(1))), orAny(Integer.parseInt(words.get(2))));
  }

  /** A command says 0 for what it leaves open. */
  private static int orAny(int value) {
    return value == 0 ? StripingWish.ANY : value;
  }

  private void remove(String path) throws IOException {
    if (files.attributes(path, false).isDirectory()) {
      files.rmdir(path);
    } else {
      files.unlink(path);
    }
  }

  private List<String> list(String path, boolean isLong) throws PvfsException {
    List<String> lines = new ArrayList<>();
    if (!files.attributes(path).isDirectory()) {
      lines.add(isLong ? line(files.attributes(path), path, files.size(path)) : path);
      return lines;
    }
    for (DirectoryPage.Entry entry : files.list(path)) {
      line(path, entry, isLong).ifPresent(lines::add);
    }
    lines.sort(String::compareTo);
    return lines;
  }

  /** What is shown of an entry of a directory; nothing if it has gone meanwhile and its length has to be asked for. */
  Optional<String> line(String directory, DirectoryPage.Entry entry, boolean isLong) throws PvfsException {
    String name = new String(entry.name(), StandardCharsets.UTF_8);
    if (!isLong) {
      return Optional.of(name);
    }
    try {
      long bytes = entry.isLengthOpen() ? files.size(directory + "/" + PathNames.decode(entry.name())) : entry.attributes().bytes();
      return Optional.of(line(entry.attributes(), name, bytes));
    } catch (PvfsException failed) {
      if (failed.errno() == Errno.ENOENT || failed.errno() == Errno.ESTALE) {
        return Optional.empty();
      }
      throw failed;
    }
  }

  private static String line(FileAttributes of, String name, long bytes) {
    String type = of.isDirectory() ? "d" : of.isSymlink() ? "l" : of.isRegular() ? "-" : "?";
    return String.format(Locale.ROOT, "%s%04o %3d %5d %5d %14d  %s", type, of.mode() & 07777, of.links(), of.uid(), of.gid(), bytes, name);
  }

  private List<String> stat(String path) throws PvfsException {
    FileAttributes of = files.attributes(path);
    List<String> lines = new ArrayList<>();
    lines.add("inode " + of.inode() + ", " + (of.isDirectory() ? "directory" : of.isSymlink() ? "symbolic link" : of.isRegular() ? "file" : "special file")
        + String.format(Locale.ROOT, ", mode %04o, uid %d, gid %d, %d links, %d bytes", of.mode() & 07777, of.uid(), of.gid(), of.links(), files.size(path)));
    if (of.striping() != null) {
      Striping striping = of.striping();
      lines.add("base = " + striping.base() + ", pcount = " + striping.count() + ", ssize = " + striping.stripeBytes());
    }
    return lines;
  }

  /** A line for each daemon that has some of it, and one for each of its first stripes. */
  private List<String> viewDistribution(String path) throws IOException {
    try (PvfsFile file = files.open(path)) {
      Striping striping = file.striping();
      long bytes = file.size();
      List<String> lines = new ArrayList<>();
      lines.add(path + ": " + bytes + " bytes, base = " + striping.base() + ", pcount = " + striping.count() + ", ssize = " + striping.stripeBytes());
      for (int slot = 0; slot < striping.count(); slot++) {
        lines.add("  daemon " + striping.daemonOf(slot) + " (" + files.daemons().get(striping.daemonOf(slot)).node() + "): "
            + striping.localBytes(slot, bytes) + " bytes");
      }
      for (long stripe = 0; stripe < STRIPES_SHOWN && stripe * striping.stripeBytes() < bytes; stripe++) {
        long from = stripe * striping.stripeBytes();
        lines.add("  bytes " + from + " to " + (Math.min(bytes, from + striping.stripeBytes()) - 1) + ": daemon "
            + striping.daemonOf(striping.slotOf(from)) + " from " + striping.localOf(from));
      }
      return lines;
    }
  }
}
