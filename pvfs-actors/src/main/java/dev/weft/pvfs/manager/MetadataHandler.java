package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Map;
import java.util.Set;

/** The interface by which the manager's actor handles requests. One thread. */
interface MetadataHandler extends AutoCloseable {
  /** Returns the answer, which may be sent only after the next {@link #commit}, unless it {@link #isSettled}. */
  MetaReply handle(MetaRequest request, long session);

  /** Whether the last answer of {@link #handle} is valid whatever happens to the next commit. */
  boolean isSettled();

  /**
   * The answer to a request that a previous manager has carried out.
   *
   * @param reply may be sent only after the next {@link #commit}
   * @param intent work that daemons must finish first; 0 for none
   */
  record Repeated(MetaReply reply, long intent) {}

  /** Call before {@link #handle}; returns null if the request must be handled. */
  Repeated repeated(MetaRequest request, long session);

  /** Returns the inodes whose state visible to clients has changed since the last call. */
  Set<Long> takeChanged();

  /** Returns the attributes of an inode as it is now; null if it is gone. */
  FileAttributes attributes(long inode);

  /** Whether the inode does not exist; false if that cannot be determined. */
  boolean isGone(long inode);

  /** Whether so many changes that no answer waits for have collected that they must be written. */
  boolean isOverdue();

  /** Makes everything handled since the last call durable; returns an errno. If it is not OK, none of it has happened. */
  int commit();

  /**
   * Begins the daemons' work that is durable now and was not begun before.
   *
   * @return files that are being cut because of requests handled since the last call, by intent id: their clients are answered when the cut is done;
   *     null if the store fails: the work begins the next time
   */
  Map<Long, Long> beginEffects(Effects.Listener listener);

  /** The daemons have done the work. Returns false if that could not be recorded; call it again then. */
  boolean effectDone(long intent, Effects.Listener listener);

  /** The daemons cannot do the work; the file has so many bytes. Returns false as in {@link #effectDone}. */
  boolean effectRefused(long intent, long fileBytes, Effects.Listener listener);

  /** Repeats work that the daemons failed to do a while ago. */
  void effectAgain(long intent, Effects.Listener listener);

  /** A client has ended: closes its open files. */
  void endSession(long session);

  /** A client comes or comes back. If the end of its session could not be written, that end is dropped; the client itself reports its open files. */
  void beginSession(long session);

  /** Tries again to write what {@link #endSession} could not write. */
  void endSessions();

  /** Records with the next commit that a session may hold locks or have cached something, so that a restarted manager waits for it. */
  void holds(long session);

  /** Whether that record is durable, or will be with the next commit. */
  boolean isHolder(long session);

  /** Returns the sessions of the previous manager that may hold locks or have cached something, and have not ended. */
  Set<Long> holders();

  /** Whether clients of a previous manager may still come back and report their open files. */
  boolean isRecovering();

  /** All clients that come back, {@code back}, have done so; closes the files of others. Returns false if that could not be written yet. */
  boolean endRecovery(Set<Long> back);

  MetadataState state();

  /** Checks the metadata, and repairs them if requested; nothing may wait for a commit. */
  Checked check(boolean repairs);

  @Override
  void close();
}
