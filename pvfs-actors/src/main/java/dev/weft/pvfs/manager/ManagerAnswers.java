package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Answers on their way: they wait for the commit, then for what daemons have to do, then until other clients have forgotten what has changed. Bound: the
 * credits of all sessions. One thread.
 */
final class ManagerAnswers {
  private final MetadataHandler handler;
  private final Coordination coordination;
  private final Effects.Listener effects;
  /** Not sent before the commit. */
  private final List<ManagerAnswer> answers = new ArrayList<>();
  /** That wait for daemons, by the intents that these have to do. */
  private final Map<Long, ManagerAnswer> held = new HashMap<>();
  /** That wait until other clients have forgotten what has changed. */
  private final Set<ManagerAnswer> fenced = new HashSet<>();
  private long commits;
  private long repeats;

  ManagerAnswers(MetadataHandler handler, Coordination coordination, Effects.Listener effects) {
    this.handler = handler;
    this.coordination = coordination;
    this.effects = effects;
  }

  void add(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed) {
    add(session, request, reply, changed, null);
  }

  /** The same; {@code repeated} is what a manager before has done, null for what this one has. */
  void add(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed, MetadataHandler.Repeated repeated) {
    repeats += repeated == null ? 0 : 1;
    answers.add(new ManagerAnswer(session, request, reply, changed, repeated, false));
  }

  /**
   * One that need not wait for the commit; but not before one that shows the inode as it was, whose client would be allowed to remember that behind this
   * change.
   */
  void addSettled(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed) {
    ManagerAnswer settled = new ManagerAnswer(session, request, reply, changed, null, true);
    if (answers.stream().anyMatch(answer -> answer.shows(request.inode()))) {
      answers.add(settled);
    } else {
      fence(settled, true);
    }
  }

  /** Whether it was asked for before, and is not answered. */
  boolean isUnderWay(ManagerSession session, MetaRequest request) {
    return Stream.concat(held.values().stream(), fenced.stream()).anyMatch(one -> one.isTo(session, request));
  }

  /** Makes what was handled durable, and answers what need not wait for more. */
  void commit() {
    if (answers.isEmpty() && !handler.isOverdue()) {
      return;
    }
    List<ManagerAnswer> these = List.copyOf(answers);
    answers.clear();
    commits++;
    int errno = handler.commit();
    if (errno != Errno.OK) {
      these.forEach(answer -> {
        if (answer.isOfBefore() || answer.isSettled()) {
          goOn(answer, Map.of());
        } else {
          fail(answer, errno);
        }
      });
      return;
    }
    Map<Long, Long> cut = handler.beginEffects(effects);
    these.forEach(answer -> {
      if (cut == null && answer.cuts()) {
        fail(answer, Errno.EIO); // The cut is written down and comes at some time: its writer must not be told that it is over.
      } else {
        goOn(answer, cut == null ? Map.of() : cut);
      }
    });
  }

  private void goOn(ManagerAnswer answer, Map<Long, Long> cut) {
    Long intent = answer.heldBy(cut, held.keySet());
    if (intent == null) {
      fence(answer, answer.repeated() == null); // What was done before may be old by now.
    } else {
      held.put(intent, answer);
      coordination.revoke(answer.session().id, answer.changed(), () -> { }); // Begins; that it is done is awaited later.
    }
  }

  private void fail(ManagerAnswer answer, int errno) {
    boolean isDone = answer.isOfLock() && handler.isHolder(answer.session().id);
    if (answer.isOfLock() && !isDone) {
      coordination.dropLocks(answer.session().id); // A manager that starts again would not wait for it.
    }
    answer.session().answer(isDone ? answer.reply() : MetaReply.failed(answer.reply().id(), errno));
    answer.session().flush();
    coordination.revoke(0, answer.changed(), () -> { }); // Nobody knows what is on the disk: who changed it, neither.
  }

  /** Answers when all others have forgotten what has changed. Who has waited may remember nothing of it: it may be old by now. */
  private void fence(ManagerAnswer answer, boolean isFresh) {
    if (answer.mayRemove() && coordination.isListening(answer.session().id)) {
      answer.changed().stream().filter(handler::isGone).forEach(inode -> coordination.gone(answer.session().id, inode));
    }
    boolean waits = coordination.revoke(answer.session().id, answer.changed(), () -> {
      fenced.remove(answer);
      send(answer);
    });
    if (waits) {
      fenced.add(answer);
    } else {
      send(isFresh ? answer.with(coordination.leased(answer.request(), answer.reply(), answer.session().id)) : answer);
    }
  }

  private static void send(ManagerAnswer answer) {
    answer.session().remember(answer.unleased());
    answer.session().answer(answer.reply());
    answer.session().flush();
  }

  /** One that was given before. */
  void repeat(ManagerSession session, MetaRequest request, MetaReply before) {
    send(new ManagerAnswer(session, request, before, Set.of()));
  }

  /** The daemons have done it. False if that could not be recorded: then it is to be said again. */
  boolean effectDone(long intent) {
    commits++;
    return handler.effectDone(intent, effects) && ended(intent, Errno.OK);
  }

  /** They cannot do it: who asked for it is answered so. False as in {@link #effectDone}. */
  boolean effectRefused(long intent, int errno, long fileBytes) {
    commits++;
    if (!handler.effectRefused(intent, fileBytes, effects)) {
      return false;
    }
    coordination.revoke(0, handler.takeChanged(), () -> { }); // The length that it was to have may have been told, to the one who asked, too.
    return ended(intent, errno);
  }

  private boolean ended(long intent, int errno) {
    handler.beginEffects(effects);
    ManagerAnswer answer = held.remove(intent);
    if (answer != null) {
      fence(errno == Errno.OK ? answer : answer.with(MetaReply.failed(answer.reply().id(), errno)), false);
    }
    return true;
  }

  /** Of the store. */
  long commits() {
    return commits;
  }

  /** Answers to what a manager before has done. */
  long repeats() {
    return repeats;
  }

  /** That wait for daemons or for other clients. */
  int waiting() {
    return held.size() + fenced.size();
  }
}
