"""Celery and its transport. Messages carry ids; Postgres is the truth, so a lost message costs seconds, not work."""

from __future__ import annotations

from celery import Celery
from celery.signals import worker_init, worker_process_init

from bio_agent_workers import pipeline, reembedding, rule_forms
from bio_agent_workers.settings import Settings

HARD_LIMIT_S = 150  # longest a stage may take: the model's time-out plus saving
VISIBILITY_S = 180  # must exceed HARD_LIMIT_S, or a running task is delivered again


def make_app(settings: Settings) -> Celery:
    app = Celery("bio-agent", broker=settings.redis_url or "redis://127.0.0.1:6379/0")
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        result_accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_default_queue="bio.think",
        task_routes={**pipeline.ROUTES, **reembedding.ROUTES, **rule_forms.ROUTES},
        worker_prefetch_multiplier=1,
        worker_send_task_events=True,
        task_send_sent_event=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_S,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "global_keyprefix": "bio:q:",
            "socket_timeout": 30,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "retry_on_timeout": True,
        },
        beat_schedule={**pipeline.BEAT, **reembedding.BEAT, **rule_forms.BEAT},
        timezone="UTC",
    )
    pipeline.register(app)
    reembedding.register(app, pipeline.open_runtime)
    rule_forms.register(app, pipeline.open_runtime)
    return app


app = make_app(Settings())


@worker_init.connect  # type: ignore[untyped-decorator] # threads and solo pools: one process
@worker_process_init.connect  # type: ignore[untyped-decorator] # prefork: connections are made after the fork
def _open(**_: object) -> None:
    pipeline.open_runtime(Settings())
