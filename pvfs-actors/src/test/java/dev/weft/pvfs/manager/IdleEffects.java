package dev.weft.pvfs.manager;

import java.util.ArrayList;
import java.util.List;

/** Daemons that begin whatever they are asked for, and never have done it; nobody is told. */
final class IdleEffects implements Effects, Effects.Listener {
  final List<Intent> begun = new ArrayList<>();

  @Override
  public boolean begin(Intent intent, Listener listener) {
    return begun.add(intent);
  }

  @Override
  public void done(long intent) {}

  @Override
  public void failed(long intent, String why) {}

  @Override
  public void refused(long intent, int errno, long fileBytes) {}

  @Override
  public void close() {}
}
