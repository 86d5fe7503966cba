package dev.weft.pvfs.fuse;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Takes answers in the kernel's place. */
final class RecordingPort implements ReplyPort {
  /** An answer. */
  record Answer(int error, long unique, ByteBuffer body) {}

  private final List<Answer> answers = new CopyOnWriteArrayList<>();
  private volatile int result;

  /** What the kernel says to the next answers: 0, or a negative error number. */
  void say(int toAll) {
    result = toAll;
  }

  @Override
  public int send(MemorySegment vector, int count) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      MemorySegment piece = MemorySegment.ofAddress(vector.get(ValueLayout.JAVA_LONG, i * 16L)).reinterpret(vector.get(ValueLayout.JAVA_LONG, i * 16L + 8));
      all.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE));
    }
    ByteBuffer message = ByteBuffer.wrap(all.toByteArray()).order(ByteOrder.nativeOrder());
    if (message.getInt() != message.capacity()) {
      throw new AssertionError("an answer of " + message.capacity() + " bytes says otherwise: " + message.getInt(0));
    }
    int error = message.getInt();
    answers.add(new Answer(error, message.getLong(), message.slice().order(ByteOrder.nativeOrder())));
    return result;
  }

  List<Answer> answers() {
    return answers;
  }

  Answer only() {
    if (answers.size() != 1) {
      throw new AssertionError(answers.size() + " answers: " + answers);
    }
    return answers.removeFirst();
  }
}
