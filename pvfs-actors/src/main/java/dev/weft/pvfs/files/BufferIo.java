package dev.weft.pvfs.files;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.concurrent.CompletionStage;

/** I/O with byte buffers: data of a direct buffer moves without a copy, that of a heap buffer through {@link Staging}. */
final class BufferIo {
  private final PvfsFile file;
  private final Staging staging;

  BufferIo(PvfsFile file, Staging staging) {
    this.file = file;
    this.staging = staging;
  }

  int read(ByteBuffer to, long offset) throws PvfsException {
    requireWritable(to);
    if (to.isDirect()) {
      return moved(to, file.read(MemorySegment.ofBuffer(to), offset));
    }
    int done = 0;
    while (to.hasRemaining()) {
      int bytes = Math.min(to.remaining(), Staging.BUFFER_BYTES);
      MemorySegment piece = staging.take(bytes);
      int has = (int) file.read(piece.asSlice(0, bytes), offset + done); // A buffer that an operation may still use is not given back.
      copyOut(piece, to, has);
      staging.giveBack(piece);
      done += has;
      if (has < bytes) {
        break;
      }
    }
    return done;
  }

  int write(ByteBuffer from, long offset) throws PvfsException {
    if (from.isDirect()) {
      int bytes = from.remaining();
      file.write(MemorySegment.ofBuffer(from), offset);
      return moved(from, bytes);
    }
    int done = 0;
    while (from.hasRemaining()) {
      int bytes = Math.min(from.remaining(), Staging.BUFFER_BYTES);
      MemorySegment piece = staging.take(bytes);
      file.write(copyIn(piece, from, bytes), offset + done);
      staging.giveBack(piece);
      from.position(from.position() + bytes);
      done += bytes;
    }
    return done;
  }

  CompletionStage<Integer> readAsync(ByteBuffer to, long offset) throws PvfsException {
    requireWritable(to);
    if (to.isDirect()) {
      return file.readAsync(MemorySegment.ofBuffer(to), offset).thenApply(bytes -> moved(to, bytes));
    }
    int bytes = Math.min(to.remaining(), Staging.BUFFER_BYTES);
    MemorySegment piece = staging.take(bytes);
    return file.readAsync(piece.asSlice(0, bytes), offset).thenApply(has -> {
      copyOut(piece, to, has.intValue());
      staging.giveBack(piece);
      return has.intValue();
    });
  }

  CompletionStage<Integer> writeAsync(ByteBuffer from, long offset) throws PvfsException {
    if (from.isDirect()) {
      return file.writeAsync(MemorySegment.ofBuffer(from), offset).thenApply(bytes -> moved(from, bytes));
    }
    int bytes = Math.min(from.remaining(), Staging.BUFFER_BYTES);
    MemorySegment piece = staging.take(bytes);
    return file.writeAsync(copyIn(piece, from, bytes), offset).thenApply(written -> {
      staging.giveBack(piece);
      return moved(from, written);
    });
  }

  private static void requireWritable(ByteBuffer to) {
    if (to.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
  }

  private static int moved(ByteBuffer buffer, long bytes) {
    buffer.position(buffer.position() + (int) bytes);
    return (int) bytes;
  }

  private void copyOut(MemorySegment piece, ByteBuffer to, int bytes) {
    MemorySegment.copy(piece, 0, MemorySegment.ofBuffer(to), 0, bytes);
    moved(to, bytes);
    staging.count(bytes);
  }

  private MemorySegment copyIn(MemorySegment piece, ByteBuffer from, int bytes) {
    MemorySegment.copy(MemorySegment.ofBuffer(from), 0, piece, 0, bytes);
    staging.count(bytes);
    return piece.asSlice(0, bytes);
  }
}
