package dev.weft.fabric.dispatch;

import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How a JVM tells another one's hardware thread, asleep on the same machine, that it has put packets into shared memory: the
 * interrupt line of a trunk. Two words of a file that both map. {@code LISTENING} is 1 while nobody in the owner's JVM
 * looks at its trunks; {@code ASLEEP} is 1 while its thread sleeps.
 *
 * <p>No packet is overlooked: the sender publishes and then reads {@code LISTENING}; the owner sets {@code LISTENING} and then
 * looks once more at its trunks. Both are sequentially consistent, so one of them sees the other.
 */
public final class Bell {
  private static final long LISTENING = 0;
  static final long ASLEEP = 64;
  static final long FILE_BYTES = 128;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final Futex futex;

  /** On memory of {@link #FILE_BYTES} that the caller keeps. */
  Bell(MemorySegment memory) {
    this.memory = memory;
    this.futex = new Futex(memory.asSlice(ASLEEP, Integer.BYTES));
  }

  /** Whether threads of other JVMs can be woken on this machine: Linux on x86-64 or AArch64, with native access. */
  public static boolean isSupported() {
    return Futex.isSupported();
  }

  /**
   * Makes the bell of this JVM.
   *
   * @param file in a directory of shared memory; a bell that is there already is taken over
   * @throws IOException if the file cannot be made
   */
  public static Bell make(Path file) throws IOException {
    try (FileChannel channel = PrivateFile.open(file, StandardOpenOption.WRITE)) {
      // Written and not only mapped: where the file system is full this fails, and not the thread that rings.
      channel.write(ByteBuffer.allocate((int) FILE_BYTES), 0);
    }
    Bell bell = new Bell(map(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    bell.set(LISTENING, 0);
    bell.set(ASLEEP, 0);
    return bell;
  }

  /**
   * The bell of another JVM.
   *
   * @throws IOException if that JVM has none
   */
  public static Bell of(Path file) throws IOException {
    return new Bell(map(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  private static MemorySegment map(Path file, StandardOpenOption... options) throws IOException {
    if (!isSupported()) {
      throw new IOException("no bells on this machine, or without --enable-native-access");
    }
    try (FileChannel channel = FileChannel.open(file, options)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
    }
  }

  /** Wakes the owner's thread if nobody there looks at the trunks. To be called after a packet was published; any thread. */
  public void ring() {
    VarHandle.fullFence();
    if (get(LISTENING) == 1 && WORD.compareAndSet(memory, LISTENING, 1, 0)) {
      wake();
    }
  }

  /** Owner: from now on nobody looks at the trunks. It has to look once more after this. */
  void listen() {
    set(LISTENING, 1);
  }

  /** Owner: somebody looks at the trunks again, so that rings would be wasted. */
  void stopListening() {
    if (get(LISTENING) == 1) {
      set(LISTENING, 0);
    }
  }

  /** Owner's thread: about to sleep. A wake-up from here on ends the next {@link #sleep}. */
  void announceSleep() {
    set(ASLEEP, 1);
  }

  /** Owner's thread: sleeps until woken, at most {@code maxNs}; not at all if it was woken since it announced this. */
  void sleep(long maxNs) {
    if (get(ASLEEP) == 1) {
      futex.await(1, maxNs);
    }
  }

  /** Owner's thread: awake again. */
  void awake() {
    set(ASLEEP, 0);
  }

  /** Ends the owner's sleep. Any thread, any process. */
  void wake() {
    if (get(ASLEEP) == 1 && WORD.compareAndSet(memory, ASLEEP, 1, 0)) {
      futex.wake();
    }
  }

  private int get(long word) {
    return (int) WORD.getVolatile(memory, word);
  }

  private void set(long word, int value) {
    WORD.setVolatile(memory, word, value);
  }
}
