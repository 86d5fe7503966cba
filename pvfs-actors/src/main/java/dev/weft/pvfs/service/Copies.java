package dev.weft.pvfs.service;

import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Copies files of this host into the file system and out of it. */
final class Copies {
  private static final int PIECE_BYTES = 8 << 20;

  private final PvfsFileSystem files;

  Copies(PvfsFileSystem files) {
    this.files = files;
  }

  List<String> put(String local, String path, StripingWish wish) throws IOException {
    MemorySegment piece = Arena.ofAuto().allocate(PIECE_BYTES, 4096);
    ByteBuffer buffer = piece.asByteBuffer();
    try (FileChannel from = FileChannel.open(Path.of(local), StandardOpenOption.READ); PvfsFile to = files.open(path, wish, 0644,
        StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
      long done = 0;
      while (from.read(buffer.clear()) > 0) {
        to.write(piece.asSlice(0, buffer.position()), done);
        done += buffer.position();
      }
      return List.of();
    }
  }

  /** What there was at {@code local} stays as it is until the file could be opened. */
  List<String> get(String path, String local) throws IOException {
    MemorySegment piece = Arena.ofAuto().allocate(PIECE_BYTES, 4096);
    try (PvfsFile from = files.open(path); FileChannel to = FileChannel.open(Path.of(local), StandardOpenOption.WRITE, StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING)) {
      long done = 0;
      for (long bytes = from.read(piece, 0); bytes > 0; bytes = from.read(piece, done)) {
        ByteBuffer buffer = piece.asSlice(0, bytes).asByteBuffer();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
        done += bytes;
      }
      return List.of();
    }
  }
}
